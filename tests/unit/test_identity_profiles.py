"""Identity profiles: the shipped four, one's own, and wrong ones."""

import pytest

from ddax.configs.documents import shipped
from ddax.configs.identities import known_identities, load_identity
from ddax.errors import SettingsError
from tests.cases import cases

SOURCE = {
    "cautious": (2.0, 0.2, 0.2, 0.1, 0.3, 0.5, 0.0),
    "exploratory": (0.5, 0.6, 0.05, 0.3, 0.7, 1.5, 0.0),
    "traumatized": (1.5, 0.1, 0.3, 0.05, 0.4, 0.7, 0.4),
}
PROTECT_AFTER = {"traumatized": 1, "cautious": 1, "task_focused": 2, "exploratory": 3}


@pytest.mark.parametrize("name", known_identities())
def test_each_shipped_profile_is_valid_and_comments_every_field(name):
    identity = load_identity(name)
    assert identity.name == name and identity.protect_after == PROTECT_AFTER[name] and identity.statement
    lines = shipped("identity", f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    for field in type(identity).model_fields:
        row = next(i for i, line in enumerate(lines) if line.startswith(f"{field}:"))
        assert lines[row - 1].startswith("#"), field


@pytest.mark.parametrize("name", SOURCE)
def test_the_numbers_of_the_source_hold(name):
    i = load_identity(name)
    assert (i.gamma, i.epsilon_0, i.alpha, i.s, i.k_base, i.m, i.initial_rho) == SOURCE[name]


def test_an_unknown_profile_names_the_known_and_the_nearest():
    with pytest.raises(SettingsError) as caught:
        load_identity("cautios")
    assert "Did you mean 'cautious'" in str(caught.value) and "traumatized" in str(caught.value)
    for name in ("../secrets", "", "x" * 5000):
        with pytest.raises(SettingsError, match="Known are"):
            load_identity(name)


def test_ones_own_profile_is_a_file(tmp_path):
    mine = tmp_path / "calm.yaml"
    mine.write_text("statement: I keep calm.\ngamma: 0.7\n")
    identity = load_identity(mine)
    assert (identity.name, identity.gamma, identity.m) == ("calm", 0.7, 1.0)


@cases("text", "message")
def test_a_wrong_profile_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=message):
        load_identity(path)


def test_a_missing_or_binary_file_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        load_identity(tmp_path / "none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="UTF-8"):
        load_identity(tmp_path / "b.yaml")
