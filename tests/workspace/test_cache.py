"""What a long-lived process need not read again."""

from repomem.workspace.cache import Cache, CacheKey

TREE = CacheKey[object]("tree")
VIEW = CacheKey[object]("view")


def test_a_value_is_read_once_from_one_source_and_again_from_another() -> None:
    cache = Cache()
    reads: list[int] = []

    def read() -> int:
        reads.append(len(reads))
        return len(reads)

    assert [cache.get(TREE, source, read) for source in ("a", "a", "b", "a")] == [1, 1, 2, 3]


def test_values_of_two_kinds_do_not_replace_each_other() -> None:
    cache = Cache()
    assert (cache.get(TREE, 1, lambda: "oak"), cache.get(VIEW, 1, lambda: "sea")) == ("oak", "sea")
    assert (cache.get(TREE, 1, lambda: "elm"), cache.get(VIEW, 1, lambda: "lake")) == ("oak", "sea")
