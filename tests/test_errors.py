"""What an unknown name is answered with."""

from unfool.errors import did_you_mean


def test_a_name_in_capitals_is_known() -> None:
    assert did_you_mean("PWWS", ["pwws", "ga"]) == "; did you mean 'pwws'?"
    assert did_you_mean("wordcnn", ["WordCNN", "NB"]) == "; did you mean 'WordCNN'?"


def test_what_is_like_nothing_gets_the_list() -> None:
    assert did_you_mean("xyz", ["pwws", "ga"]) == "; there is ga, pwws"
    assert did_you_mean("xyz", []) == "; there is none"
