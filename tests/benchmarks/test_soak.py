"""How the soak reads the reports of the tests that it runs."""

from xml.etree import ElementTree as ET

from benchmarks.soak import recorded

REPORT = """
<testsuite>
  <testcase name="one"><properties>
    <property name="cases" value="1"/><property name="cases" value="1"/><property name="longest wait" value="0.254"/>
  </properties></testcase>
  <testcase name="two"><properties>
    <property name="cases" value="1"/><property name="longest wait" value="0.1"/>
  </properties><failure message="a record is lost"/></testcase>
  <testcase name="three"><error message="no fixture"/></testcase>
</testsuite>
"""


def test_cases_are_added_up_and_each_failure_is_wrong() -> None:
    assert recorded(ET.fromstring(REPORT).iter("testcase")) == {
        "cases": 3,
        "longest wait": 0.25,
        "wrong": 2,
        "findings": ["two: a record is lost", "three: no fixture"],
    }
