"""Classifies a sentence in its context, with a sentence encoder whose last layers are tuned to this task.

The tokens are `[CLS] speaker sentence [SEP] before [SEP] after [SEP]`. The encoder's word vectors and first layer are
those that ship; `context.safetensors` has the other layers and the head, as `training.context` writes them. It takes
some 10 ms of one core for each sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from repomem.adapters.models.bert import Layer, Norm, mask, padded, through
from repomem.adapters.models.model_folder import readable, unreadable
from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER, EncoderModel, read_encoder
from repomem.capture.statements.classifier.messages import Message
from repomem.core.grouping import batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FILE = Path(__file__).with_name("context.safetensors")
KINDS = ("decision", "rule", "fact", "gotcha", "thread")  # rows of the head after the first, which scores "statement"
SCORES = 1 + len(KINDS)
FIRST_TUNED = 1  # of the layers; those before it are the encoder's
CLS, SEP = 101, 102
PERSON, AGENT, AGENT_AT_WORK = 1, 2, 3  # token ids that no text contains; also rows of `speakers`
SPEAKERS = 4
LONGEST_SENTENCE = 64  # tokens
LONGEST_BEFORE = 20
LONGEST_AFTER = 16
HEARD = 200  # characters read of the other speaker's message
BATCH = 32  # sentences


@dataclass(frozen=True, slots=True)
class ContextModel:
    """The encoder's parts, and what is the model's own."""

    shared: EncoderModel
    first: Norm
    layers: Sequence[Layer]
    sides: "Floats"  # added to the tokens of the sentence, and of what is around it, (2, width)
    speakers: "Floats"  # (4, width)
    head: "Floats"  # (SCORES, 2 * width)
    bias: "Floats"

    def log_odds(self, ids: Sequence[Sequence[int]], own: Sequence[int]) -> "Floats":
        """Of a statement, then of each kind, (sentences, SCORES); `own` has the tokens up to the first `[SEP]`."""
        import numpy as np

        table, seen = padded(ids)
        longest = table.shape[1]
        is_own = mask(own, longest)
        with self.shared.threads.limit(limits=1, user_api="blas"):
            rows = self.shared.words_of(table) + self.shared.places[:longest] + self.sides[1 - is_own.astype(int)]
            rows[:, 1] += self.speakers[table[:, 1]]
            rows = through(self.layers, self.first(rows), seen)
            means = (rows * is_own[..., None]).sum(axis=1) / is_own.sum(axis=1, keepdims=True)
            return np.asarray(np.concatenate([rows[:, 0], means], axis=1) @ self.head.T + self.bias, np.float32)


class SentenceInContext(NamedTuple):
    """What the model reads."""

    speaker: int
    text: str
    before: str  # the sentence before it in its message; at the start, the end of the other one's message
    after: str  # the next sentence of its message


def in_context(message: Message, at: int) -> SentenceInContext:
    """A message's sentence as the model reads it."""
    sentences = message.sentences
    before = sentences[at - 1].text if at else message.heard[-HEARD:]
    after = sentences[at + 1].text if at + 1 < len(sentences) else ""
    speaker = AGENT_AT_WORK if not message.is_final else PERSON if message.is_persons else AGENT
    return SentenceInContext(speaker, sentences[at].text, before, after)


def log_odds(read: Sequence[SentenceInContext]) -> list[list[float]]:
    """The log-odds that each is a statement, then those of each kind."""
    import numpy as np

    model = _model()
    tokens = [tokens_of(each) for each in read]
    found = np.zeros((len(read), SCORES), np.float32)
    order = sorted(range(len(read)), key=lambda at: len(tokens[at][0]))  # sentences of one length need no padding
    for rows in batches(order, BATCH):
        found[rows] = model.log_odds([tokens[row][0] for row in rows], [tokens[row][1] for row in rows])
    lists: list[list[float]] = found.tolist()
    return lists


def tokens_of(read: SentenceInContext) -> tuple[list[int], int]:
    """The tokens, and how many of them are the sentence's own, up to the first `[SEP]`."""
    own = [CLS, read.speaker, *_ids(read.text)[:LONGEST_SENTENCE], SEP]
    return [*own, *_ids(read.before)[-LONGEST_BEFORE:], SEP, *_ids(read.after)[:LONGEST_AFTER], SEP], len(own)


def _ids(text: str) -> list[int]:
    ids: list[int] = _model().shared.tokenizer.encode(readable(text), add_special_tokens=False).ids
    return ids


@cache
def _model() -> ContextModel:
    return read_model(ENCODER_FOLDER, FILE)


def read_model(encoder: Path, file: Path) -> ContextModel:
    """The model of an encoder's folder and a file of further weights. Raises EmbeddingError if one cannot be read."""
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        shared, tensors = read_encoder(encoder), load_file(file)
    except (OSError, SafetensorError) as error:
        raise unreadable(file, error) from error
    tuned = (Layer.of(tensors, str(at)) for at in range(FIRST_TUNED, len(shared.layers)))
    sides, speakers, bias = (tensors[name].astype(np.float32) for name in ("sides", "speakers", "head.bias"))
    head = tensors["head"].astype(np.float32) * tensors["head.scales"][:, None]
    layers = [*shared.layers[:FIRST_TUNED], *tuned]
    return ContextModel(shared, Norm.of(tensors, "first"), layers, sides, speakers, head, bias)
