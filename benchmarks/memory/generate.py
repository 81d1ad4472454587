"""A repository with what people and agents would remember of it, made from lists of words: the same for the same seed.

A subject is one attribute of one entity, such as the retry limit of the chunk uploader; the other attributes of the
same entity share most of its words, and are its distractors. Held-back data has other domains, attributes and
sentences than the data that anything was tuned on.
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from repomem.core.records import MemoryKind

WORDS = Path(__file__).with_name("words.toml")
KINDS = {MemoryKind.DECISION: 0.4, MemoryKind.RULE: 0.15, MemoryKind.FACT: 0.25, MemoryKind.GOTCHA: 0.2}
AMENDED = 0.2  # of the subjects
NEGATED = 0.25  # of the amendments: the old value is given up, and no other is named
REPEATED = 0.06  # of the subjects that are not amended, each way
PARAPHRASED = 0.08  # of the same
WITH_REASON = 0.7
WITH_REJECTED = 0.3
BY_AGENT = 0.15  # of the subjects: said by an agent, and confirmed by nobody
KIND_GIVEN = 0.5
UNCOVERED = 12  # entities that no memory speaks of
SUFFIXES = {"python": "py", "typescript": "ts", "go": "go"}
AGENTS = ("claude-code", "codex", "gemini")


@dataclass(frozen=True, slots=True)
class Shape:
    """How much is made."""

    entities: int = 240
    subjects: int = 4  # of each entity
    is_held: bool = False  # from the words that are held back


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing in the code."""

    words: str  # chunk uploader
    path: str

    @property
    def symbol(self) -> str:
        """The class that it is: ChunkUploader."""
        return "".join(word.capitalize() for word in self.words.split())


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to remember. `of` is the place of the entry that it repeats or amends, -1 where it does neither."""

    role: str  # first, amendment, paraphrase, exact repeat, near repeat
    subject: str
    entity: Entity
    attribute: str  # as it is called here
    kind: MemoryKind
    text: str
    value: str  # empty where the old one was given up
    why: str = ""
    rejected: tuple[str, ...] = ()
    agent: str = ""  # empty: a person says it
    is_kind_given: bool = True
    names_code: bool = False
    is_told: bool = False  # an amendment that says what it takes the place of
    of: int = -1


@dataclass(frozen=True, slots=True)
class Question:
    """A task, worded otherwise than the memory that it is about."""

    text: str
    subject: str  # empty: nothing is remembered about it
    form: str  # same name, other name, other words; of strangers: foreign, uncovered
    names_code: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    """All that one seed gives. `current` has the places of the entries that are true of each subject at the end."""

    files: Mapping[str, str]
    entries: Sequence[Entry]
    questions: Sequence[Question]
    strangers: Sequence[Question]
    current: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def amended(self) -> frozenset[str]:
        """The subjects that were amended."""
        return frozenset(entry.subject for entry in self.entries if entry.role == "amendment")


def generate(seed: int, shape: Shape | None = None) -> Data:
    """The data of a seed. No clock, no network, no hash order: the same on every machine."""
    return _Maker(seed, shape or Shape()).data()


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


class _Maker:
    """Draws everything from one source of chance, in a fixed order."""

    def __init__(self, seed: int, shape: Shape) -> None:
        self.chance = random.Random(f"{seed} {shape.is_held}")
        self.shape = shape
        self.shapes: Mapping[str, Sequence[str]] = _words()["held_shapes" if shape.is_held else "shapes"]
        self.attributes = [each for each in _words()["attributes"] if each.get("held", False) == shape.is_held]

    def data(self) -> Data:
        every = list(self.entities())
        covered, bare = every[: self.shape.entities], every[self.shape.entities :]
        entries = self.entries(covered)
        current = current_of(entries)
        questions = [question for subject in sorted(current) for question in self.questions(entries, current[subject])]
        self.chance.shuffle(questions)
        files = dict(_files(sorted(every, key=lambda one: one.path)))
        return Data(files, entries, questions, list(self.strangers(bare)), current)

    def entities(self) -> Iterator[Entity]:
        """As many as are wanted, and some that nothing will be remembered of; four of a domain share a file."""
        wanted = self.shape.entities + UNCOVERED
        domains = [each for each in _words()["domains"] if each.get("held", False) == self.shape.is_held]
        names = {each["name"]: [f"{n} {r}" for n in each["nouns"] for r in each["roles"]] for each in domains}
        for found in names.values():
            self.chance.shuffle(found)
        drawn: list[Entity] = []
        for at in range(max(map(len, names.values()))):
            for domain in domains:
                found = names[domain["name"]]
                if at < len(found):
                    first = found[at - at % 4].replace(" ", "_")
                    path = f"src/{domain['name']}/{first}.{SUFFIXES[domain['language']]}"
                    drawn.append(Entity(found[at], path))
        if len(drawn) < wanted:
            raise ValueError(f"the words give {len(drawn)} entities, not {wanted}")
        kept = drawn[:wanted]
        self.chance.shuffle(kept)
        yield from kept

    def entries(self, entities: Sequence[Entity]) -> list[Entry]:
        """In the order in which they are said: what repeats or amends another comes behind it."""
        timed: list[tuple[float, int, Entry]] = []  # moment, place of what it is about in this list, entry
        for entity in entities:
            for attribute in self.chance.sample(self.attributes, self.shape.subjects):
                first = self.first(entity, attribute)
                moment = self.chance.random()
                timed.append((moment, -1, first))
                at = len(timed) - 1
                timed += [(moment + 0.05 + self.chance.random() / 2, at, each) for each in self.later(first, attribute)]
        order = sorted(range(len(timed)), key=lambda at: timed[at][0])
        place = {at: number for number, at in enumerate(order)}
        return [replace(timed[at][2], of=place[timed[at][1]] if timed[at][1] >= 0 else -1) for at in order]

    def first(self, entity: Entity, attribute: Mapping[str, Any]) -> Entry:
        """What is said of a subject at first."""
        kind = self.chance.choices(list(KINDS), list(KINDS.values()))[0]
        name, value = self.chance.choice(attribute["names"]), self.chance.choice(attribute["values"])
        others = [each for each in attribute["values"] if each != value]
        text, names_code = self.said(kind.value, entity, name, value)
        return Entry(
            role="first",
            subject=f"{entity.words}/{attribute['names'][0]}",
            entity=entity,
            attribute=name,
            kind=kind,
            text=text,
            value=value,
            why=self.reason(attribute),
            rejected=(self.chance.choice(others),) if self.chance.random() < WITH_REJECTED else (),
            agent=self.chance.choice(AGENTS) if self.chance.random() < BY_AGENT else "",
            is_kind_given=self.chance.random() < KIND_GIVEN,
            names_code=names_code,
        )

    def later(self, first: Entry, attribute: Mapping[str, Any]) -> Iterator[Entry]:
        """What is said of the subject afterwards."""
        if self.chance.random() < AMENDED:
            yield self.amendment(first, attribute)
            return
        if self.chance.random() < REPEATED:
            yield replace(first, role="exact repeat")
        if self.chance.random() < REPEATED:
            yield replace(first, role="near repeat", text=self.nearly(first.text))
        if self.chance.random() < PARAPHRASED:
            name = self.chance.choice([each for each in attribute["names"] if each != first.attribute])
            text, names_code = self.said(first.kind.value, first.entity, name, first.value)
            yield replace(first, role="paraphrase", text=text, attribute=name, names_code=names_code, why="")

    def amendment(self, first: Entry, attribute: Mapping[str, Any]) -> Entry:
        """Another value, or none any more; half of them say what they take the place of."""
        name = self.chance.choice(attribute["names"])
        value = self.chance.choice([each for each in attribute["values"] if each != first.value])
        is_negated = self.chance.random() < NEGATED
        shape = "negated" if is_negated else "changed"
        text, names_code = self.said(shape, first.entity, name, value, first.value)
        return replace(
            first,
            role="amendment",
            attribute=name,
            text=text,
            value="" if is_negated else value,
            why=self.reason(attribute),
            rejected=(),
            names_code=names_code,
            is_told=self.chance.random() < 0.5,
        )

    def reason(self, attribute: Mapping[str, Any]) -> str:
        return str(self.chance.choice(attribute["reasons"])) if self.chance.random() < WITH_REASON else ""

    def said(self, shape: str, entity: Entity, name: str, value: str, old: str = "") -> tuple[str, bool]:
        """A sentence of a shape, and whether it spells the entity as code."""
        sentence = self.chance.choice(self.shapes[shape])
        names_code = self.chance.random() < 0.5
        return filled(sentence, self.called(entity, names_code=names_code), name, value, old), names_code

    def called(self, entity: Entity, *, names_code: bool) -> str:
        return self.chance.choice([entity.symbol, f"`{entity.symbol}`"]) if names_code else f"the {entity.words}"

    def nearly(self, text: str) -> str:
        """The same but for case, white space, or the sign at its end."""
        change = self.chance.randrange(5)
        changed = [text.lower(), text.upper(), text.replace(" ", "  "), f"{text}.", f"{text}!"]
        return f"  {changed[change]}\n"

    def questions(self, entries: Sequence[Entry], current: Sequence[int]) -> Iterator[Question]:
        """Two of each subject: one that names the attribute, the same way or otherwise, and one in other words."""
        entry = entries[current[-1]]
        attribute = next(each for each in self.attributes if entry.attribute in each["names"])
        is_same = self.chance.random() < 0.5
        others = [each for each in attribute["names"] if each != entry.attribute]
        name = entry.attribute if is_same else self.chance.choice(others)
        for form, sentence in (
            ("same name" if is_same else "other name", self.chance.choice(self.shapes["asked"])),
            ("other words", self.chance.choice(attribute["tasks"])),
        ):
            names_code = self.chance.random() < 0.5
            text = filled(sentence, self.called(entry.entity, names_code=names_code), name)
            yield Question(text, entry.subject, form, names_code)

    def strangers(self, bare: Sequence[Entity]) -> Iterator[Question]:
        """Tasks of another world, and tasks on code that nothing is remembered of."""
        for text in _words()["strangers"]["foreign"]:
            yield Question(text, "", "foreign")
        for entity in bare:
            attribute = self.chance.choice(self.attributes)
            asked = self.chance.choice(self.shapes["asked"])
            for sentence in (asked, self.chance.choice(attribute["tasks"])):
                names_code = self.chance.random() < 0.5
                called = self.called(entity, names_code=names_code)
                yield Question(filled(sentence, called, attribute["names"][0]), "", "uncovered", names_code)


def filled(sentence: str, entity: str, attribute: str, value: str = "", old: str = "") -> str:
    """The sentence with its places filled, its first letter as sentences have it."""
    upper = entity[:1].upper() + entity[1:]
    return sentence.format(e=entity, E=upper, a=attribute, v=value, w=old)


def current_of(entries: Sequence[Entry]) -> dict[str, tuple[int, ...]]:
    """Subject to the places of the entries that are true of it once all is said, oldest first; repeats left out."""
    found: dict[str, tuple[int, ...]] = {}
    for at, entry in enumerate(entries):
        if entry.role == "amendment":
            found[entry.subject] = (at,)
        elif entry.role in {"first", "paraphrase"}:
            found[entry.subject] = (*found.get(entry.subject, ()), at)
    return found


def _files(entities: Sequence[Entity]) -> Iterator[tuple[str, str]]:
    by_path: dict[str, list[Entity]] = {}
    for entity in entities:
        by_path.setdefault(entity.path, []).append(entity)
    for path, here in by_path.items():
        maker = {"py": _python, "ts": _typescript, "go": _go}[path.rpartition(".")[2]]
        head = f"package {path.split('/')[1]}\n\n" if path.endswith(".go") else ""
        yield path, head + "\n\n".join(maker(entity) for entity in here)


def _python(entity: Entity) -> str:
    noun, role = entity.words.split()
    return f'''class {entity.symbol}:
    """The {role} for every {noun}."""

    def __init__(self, settings):
        self.settings = settings
        self.pending_{noun} = []

    def run(self, items):
        for item in items:
            self.pending_{noun}.append(self.check_{noun}(item))
        return len(self.pending_{noun})

    def check_{noun}(self, item):
        return item if item.is_valid else None
'''


def _typescript(entity: Entity) -> str:
    noun, role = entity.words.split()
    return f"""/** The {role} for every {noun}. */
export class {entity.symbol} {{
  private pending: string[] = [];

  constructor(private readonly settings: Settings) {{}}

  run(items: string[]): number {{
    for (const item of items) this.pending.push(this.check{noun.capitalize()}(item));
    return this.pending.length;
  }}

  private check{noun.capitalize()}(item: string): string {{
    return item.trim();
  }}
}}
"""


def _go(entity: Entity) -> str:
    noun, role = entity.words.split()
    return f"""// {entity.symbol} is the {role} for every {noun}.
type {entity.symbol} struct {{
	settings Settings
	pending  []string
}}

// Run takes them all in.
func (it *{entity.symbol}) Run(items []string) int {{
	for _, item := range items {{
		it.pending = append(it.pending, it.check{noun.capitalize()}(item))
	}}
	return len(it.pending)
}}

func (it *{entity.symbol}) check{noun.capitalize()}(item string) string {{
	return strings.TrimSpace(item)
}}
"""
