"""Ruby methods of the class itself, which `class << self` holds: found by their indentation."""

import pytest

from repomem.recall.definitions_by_indent import with_receiver

CODE = """module Jobs
  class Web
    class << self
      # Makes one.
      def build(x)
        x
      end

      private def hidden = 1
    end

    def call(x)
      x
    end

    def self.make = 1
"""
LINES = dict(enumerate(CODE.splitlines(), start=1))


@pytest.mark.parametrize(
    ("start_line", "signature", "shown"),
    [
        (5, "def build(x)", "def self.build(x)"),
        (9, "private def hidden", "private def self.hidden"),
        (12, "def call(x)", "def call(x)"),
        (16, "def self.make", "def self.make"),
        (99, "def call(x)", "def call(x)"),
    ],
)
def test_a_method_in_the_singleton_class_has_a_receiver(start_line: int, signature: str, shown: str) -> None:
    assert with_receiver(signature, start_line, LINES) == shown
