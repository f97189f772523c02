import pytest

from unfool.errors import UserError
from unfool.lexicon import stop_words


def test_the_properties_of_the_textfooler_list_are_kept() -> None:
    words = stop_words("textfooler")
    assert len(words) == 266
    assert {"not", "no", "never", "but"} <= words
    assert not {"do", "does", "did", "has", "have", "had", "be", "will", "so", "very"} & words
    assert all(word == word.lower() for word in words)


def test_the_repr_rebuilds_it() -> None:
    assert repr(stop_words()) == "stop_words('textfooler')"
    assert eval(repr(stop_words())) is stop_words("textfooler")


def test_an_unknown_list_suggests_the_right_one() -> None:
    with pytest.raises(UserError, match="no stop word list 'nlkt'; did you mean 'nltk'"):
        stop_words("nlkt")


@pytest.mark.net
def test_nltk_list() -> None:
    words = stop_words("nltk")
    assert {"the", "do", "not", "very"} <= words
    assert 150 < len(words) < 250
