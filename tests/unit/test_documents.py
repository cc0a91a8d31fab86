"""YAML is read by the quick parser, and reads and fails as by the plain one."""

from pathlib import Path

import pytest
import yaml

from ddax.configs.documents import read_document, safe_load, shipped
from ddax.errors import SettingsError

BROKEN = ("a: 1\nb: [1, 2\nc: 3\n", "a: 1\n  b: 2\n", "a: \x07\n", "a: !!python/name:os.system\n", "a: *b\n")


@pytest.mark.parametrize("path", sorted(shipped().rglob("*.yaml")), ids=lambda path: path.name)
def test_a_shipped_file_reads_alike_without_the_quick_parser(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = read_document(path)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert read_document(path) == quick


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_wrong_is_told_in_the_words_of_the_plain_parser(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(yaml.YAMLError) as plain:
        yaml.safe_load(text)
    with pytest.raises(yaml.YAMLError) as found:
        safe_load(text)
    assert str(found.value) == str(plain.value)
    with pytest.raises(SettingsError, match="is not valid YAML"):
        read_document(path)
