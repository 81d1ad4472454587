// repomem: written by `repomem agents install opencode`, and written anew by it. Not to be edited.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import type { Plugin } from "@opencode-ai/plugin"

const PROGRAM: string[] = ["repomem"]
const LONGEST = 20000 // milliseconds; the hook itself gives up sooner
const EDIT_TOOLS = new Set(["edit", "write", "patch", "multiedit", "apply_patch"])
const FILE_TOOLS = new Set([...EDIT_TOOLS, "read"])

// What `repomem hook EVENT` answers; nothing where it fails or takes too long. It never throws.
function answer(event: string, session: string, cwd: string, said: object = {}): Promise<string> {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "hook", event, "--host", "opencode"], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: LONGEST,
        windowsHide: true,
        detached: event === "stop", // `opencode run` ends before its last hook has
      })
      let heard = ""
      child.on("error", () => resolve(""))
      child.on("close", (code: number | null) => resolve(code === 0 ? heard.trim() : ""))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part: string) => {
        heard += part
      })
      child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: session, cwd, ...said }))
    } catch {
      resolve("")
    }
  })
}

export const Repomem: Plugin = async ({ directory, worktree }) => {
  // Outside of git OpenCode calls the root of the file system its worktree.
  const cwd = worktree && worktree !== "/" ? worktree : directory
  const starts = new Map<string, string>() // how the next message of a session starts it; "" once it has its brief
  const parents = new Map<string, string>() // sessions of sub-agents, and the session that started each

  // The answer for a session; a sub-agent's belongs to the session at the top.
  function ask(event: string, session: string, said: object = {}): Promise<string> {
    let top = session
    for (let up = parents.get(top); up; up = parents.get(top)) top = up
    return answer(event, top, cwd, top === session ? said : { agent_id: session, ...said })
  }

  // What the session was not told yet: the brief with its first message and after a compaction, then what is new.
  async function told(session: string, prompt: string): Promise<string[]> {
    const source = starts.get(session) ?? "startup"
    starts.set(session, "")
    if (parents.has(session)) return source ? [await ask("subagent-start", session, { prompt })].filter((text) => text) : []
    const brief = source ? await ask("session-start", session, { source }) : ""
    const addition = await ask("prompt", session, { prompt })
    return [brief, addition].filter((text) => text)
  }

  return {
    // As a part of the message: a system prompt is made for each request, and kept nowhere.
    "chat.message": async (input: any, output: any) => {
      try {
        const session = String(input?.sessionID ?? "")
        const said = output.parts.filter((part: any) => part.type === "text" && !part.synthetic)
        const prompt = said.map((part: any) => part.text).join("\n")
        for (const text of await told(session, prompt)) {
          const id = `prt_${randomUUID().replaceAll("-", "")}`
          const where = { id, sessionID: session, messageID: output.message.id }
          output.parts.push({ ...where, type: "text", text, synthetic: true })
        }
      } catch {}
    },
    "experimental.session.compacting": async (input: any) => {
      try {
        void ask("pre-compact", String(input?.sessionID ?? ""))
      } catch {}
    },
    "tool.execute.after": async (input: any, output: any) => {
      try {
        const session = String(input?.sessionID ?? "")
        if (EDIT_TOOLS.has(input?.tool)) {
          const { filePath, patchText } = input.args ?? {}
          const said = { tool_name: input.tool, tool_input: { file_path: filePath, patch: patchText } }
          void ask("edit", session, said)
        }
        // What is on record of the file or the failure, behind the tool's own answer.
        const event = FILE_TOOLS.has(input?.tool) ? "file" : input?.tool === "bash" ? "command" : ""
        if (!event || typeof output?.output !== "string") return
        const result = event === "command" ? { output: output.output, exit: output.metadata?.exit } : ""
        const said = { tool_name: input.tool, tool_input: input.args ?? {}, tool_response: result }
        const heard = await ask(event, session, said)
        if (heard) output.output += `\n\n${heard}`
      } catch {}
    },
    event: async ({ event }: any) => {
      try {
        const session = String(event?.properties?.sessionID ?? event?.properties?.info?.id ?? "")
        const parent = event?.properties?.info?.parentID
        if (event?.type === "session.created" && parent) parents.set(session, String(parent))
        if (event?.type === "session.idle" && !parents.has(session)) await ask("stop", session)
        if (event?.type === "session.compacted") starts.set(session, "compact")
        if (event?.type === "session.deleted") starts.delete(session), parents.delete(session)
      } catch {}
    },
  }
}
