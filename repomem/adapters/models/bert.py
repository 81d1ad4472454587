"""The layers of a BERT (Devlin et al. 2019) with 8-bit weights, run by numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

HEADS = 12
EPSILON = 1e-12  # of layer normalisation
MASKED = -1e4  # instead of the attention to padding


@dataclass(frozen=True, slots=True)
class Linear:
    """A matrix and what is added to its products."""

    weights: "Floats"  # (out, in)
    bias: "Floats"  # (out,)

    @classmethod
    def of(cls, tensors: Mapping[str, "NDArray[Any]"], name: str) -> "Linear":
        import numpy as np

        scales = tensors[f"{name}.scales"][:, None]
        return cls(tensors[name].astype(np.float32) * scales, tensors[f"{name}.bias"].astype(np.float32))

    def __call__(self, rows: "Floats") -> "Floats":
        return rows @ self.weights.T + self.bias


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation."""

    scale: "Floats"
    shift: "Floats"

    @classmethod
    def of(cls, tensors: Mapping[str, "NDArray[Any]"], name: str) -> "Norm":
        import numpy as np

        scale, shift = (tensors[f"{name}.{part}"].astype(np.float32) for part in ("scale", "shift"))
        return cls(scale, shift)

    def __call__(self, rows: "Floats") -> "Floats":
        import numpy as np

        centred = rows - rows.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + EPSILON)
        return np.asarray(centred / deviation * self.scale + self.shift, np.float32)


@dataclass(frozen=True, slots=True)
class Layer:
    """Attention, then two products."""

    attend: Linear  # queries, keys and values, (3 * width, width)
    mix: Linear
    mixed: Norm
    widen: Linear
    narrow: Linear
    narrowed: Norm

    @classmethod
    def of(cls, tensors: Mapping[str, "NDArray[Any]"], name: str) -> "Layer":
        attend, mix, widen, narrow = (
            Linear.of(tensors, f"{name}.{part}") for part in ("attend", "mix", "widen", "narrow")
        )
        return cls(attend, mix, Norm.of(tensors, f"{name}.mixed"), widen, narrow, Norm.of(tensors, f"{name}.narrowed"))

    def __call__(self, rows: "Floats", hidden: "Floats") -> "Floats":
        """The next rows, (texts, tokens, width); `hidden` is added to attention, (texts, 1, 1, tokens)."""
        texts, tokens, width = rows.shape
        heads = self.attend(rows).reshape(texts, tokens, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
        queries, keys, values = heads
        shares = _softmax(queries @ keys.swapaxes(-1, -2) / (width // HEADS) ** 0.5 + hidden)
        attended = (shares @ values).transpose(0, 2, 1, 3).reshape(texts, tokens, width)
        rows = self.mixed(rows + self.mix(attended))
        return self.narrowed(rows + self.narrow(_gelu(self.widen(rows))))


def padded(ids: Sequence[Sequence[int]]) -> tuple["NDArray[np.int64]", "Floats"]:
    """The tokens of texts with zeros behind shorter ones, and 1 for each token, (texts, tokens) both."""
    import numpy as np

    longest = max(map(len, ids))
    table = np.array([[*each, *[0] * (longest - len(each))] for each in ids])
    return table, mask([len(each) for each in ids], longest)


def mask(lengths: Sequence[int], longest: int) -> "Floats":
    """1 for the first tokens of each text, so many as its length, (texts, longest)."""
    import numpy as np

    return (np.arange(longest) < np.array(lengths)[:, None]).astype(np.float32)


def through(layers: Sequence[Layer], rows: "Floats", seen: "Floats") -> "Floats":
    """The rows after all layers, (texts, tokens, width); `seen` is 0 for padding."""
    import numpy as np

    hidden = ((1 - seen) * np.float32(MASKED))[:, None, None, :]
    for layer in layers:
        rows = layer(rows, hidden)
    return rows


def _softmax(values: "Floats") -> "Floats":
    import numpy as np

    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def _gelu(values: "Floats") -> "Floats":
    """In its form with tanh (Hendrycks and Gimpel 2016)."""
    import numpy as np

    return np.asarray(0.5 * values * (1 + np.tanh(0.7978846 * values * (1 + 0.044715 * values * values))), np.float32)
