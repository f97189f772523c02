"""TextAttack's command lines in, ours out: what comes out is read by our own command line."""

from __future__ import annotations

import shlex

import pytest
from tests.docs.test_commands import check_names, parsed
from typer.testing import CliRunner

from unfool.cli.app import app
from unfool.cli.textattack import translate
from unfool.errors import UserError

MR = "--data rotten_tomatoes --split test"
BERT = f"--victim hf:textattack/bert-base-uncased-rotten-tomatoes {MR}"
COMMANDS = [
    (
        "textattack attack --recipe textfooler --model bert-base-uncased-mr --num-examples 100",
        [f"unfool attack {BERT} --attack textfooler --n 100"],
        [],
    ),
    (
        "textattack attack --recipe deepwordbug --model distilbert-base-uncased-cola --num-examples -1 --parallel",
        [
            "unfool attack --victim hf:textattack/distilbert-base-uncased-CoLA --data nyu-mll/glue:cola "
            "--split validation --attack deepwordbug"
        ],
        [],
    ),
    (
        "python -m textattack attack --attack-recipe pwws --model-from-huggingface distilbert-base-uncased-sst "
        "--dataset-from-huggingface glue^sst2^validation -n 50 -q 500 --random-seed 42",
        [
            "unfool attack --victim hf:distilbert-base-uncased-sst --data nyu-mll/glue:sst2 --split validation "
            "--attack pwws:same_pos=false --constrain stop-words --n 50 --max-queries 500 --seed 42"
        ],
        [],
    ),
    (
        "textattack attack -r alzantot --model lstm-mr",
        [
            f"unfool attack --victim zoo:WordLSTM@rotten_tomatoes {MR} "
            "--attack ga:substitutes=counter-fitted,fitting=4 --max-words 0.2 --n 10"
        ],
        ["the weights of lstm-mr"],
    ),
    (
        "textattack attack -r faster-alzantot --model cnn-yelp --num-successful-examples 5",
        [
            "unfool attack --victim zoo:WordCNN@yelp_polarity --data yelp_polarity --split test "
            "--attack faster-genetic --max-words 0.2 --n 5"
        ],
        ["the weights of cnn-yelp", "--num-successful-examples"],
    ),
    (
        "textattack attack -r iga --model roberta-base-mr --attack-n",
        [
            f"unfool attack --victim hf:textattack/roberta-base-rotten-tomatoes {MR} --attack iga "
            "--max-words 0.2 --n 10"
        ],
        ["--attack-n"],
    ),
    (
        "textattack attack -r hotflip --model lstm-imdb",
        ["unfool attack --victim zoo:WordLSTM@imdb --data imdb --split test --attack hotflip-word --n 10"],
        ["the weights of lstm-imdb"],
    ),
    (
        "textattack attack -r pso --model albert-base-v2-ag-news --log-to-csv out/pso.csv "
        "--csv-coloring-style file",
        [
            "unfool attack --victim hf:textattack/albert-base-v2-ag-news --data ag_news --split test --attack pso "
            "--n 10 --out runs/pso",
            "unfool export runs/pso --format textattack --out out/pso.csv",
        ],
        [],
    ),
    (
        "textattack attack -r textbugger --model ./my-model --dataset-from-huggingface snli --dataset-split test",
        ["unfool attack --victim hf:./my-model --data snli --split test --attack textbugger --n 10"],
        [],
    ),
    (
        "textattack attack -r pruthi --model-from-file model.py^wrapper --dataset-from-file data.py^rows -n 3",
        ["unfool attack --victim py:model.py:wrapper --data data.csv --attack pruthi --n 3"],
        ["the ModelWrapper in model.py", "the Python data set in data.py"],
    ),
    (
        "textattack attack -r kuleshov --model bert-base-uncased-mr --silent --enable-advance-metrics",
        [f"unfool attack {BERT} --attack kuleshov --confidence 0.7 --n 10 --similarity --quiet"],
        ["perplexity of --enable-advance-metrics"],
    ),
    (
        "textattack attack -r checklist --model bert-base-uncased-mr --log-to-wandb --num-examples-offset 200",
        [f"unfool attack {BERT} --attack checklist:changes=5 --n 10"],
        ["--num-examples-offset", "--log-to-wandb"],
    ),
    (
        "textattack attack -r input-reduction --model bert-base-uncased-mr --filter-by-labels 0 1",
        [f"unfool attack {BERT} --from 0,1 --attack input-reduction --n 10"],
        [],
    ),
    (
        "textattack attack -r leap --model bert-base-uncased-mr --checkpoint-interval 5 --checkpoint-dir c",
        [f"unfool attack {BERT} --attack leap --max-words 0.16 --n 10"],
        [],
    ),
    (
        "textattack attack -r bert-attack --model bert-base-uncased-mr --interactive",
        ["unfool try --victim hf:textattack/bert-base-uncased-rotten-tomatoes --attack bert-attack 'A text.'"],
        ["--interactive"],
    ),
    ("textattack attack -r bae --model bert-base-uncased-mr", [f"unfool attack {BERT} --attack bae --n 10"], []),
    (
        "textattack attack -r clare --model bert-base-uncased-mr --model-batch-size 64",
        [f"unfool attack {BERT} --attack clare --n 10"],
        [],
    ),
    (
        "textattack attack -r a2t --model bert-base-uncased-mr --num-workers-per-device 2",
        [f"unfool attack {BERT} --attack a2t --n 10 --workers 2"],
        [],
    ),
    (
        "textattack attack --model bert-base-uncased-mr --search-method beam-search^beam_width=4 "
        "--transformation word-swap-wordnet --constraints repeat stopword embedding^min_cos_sim=0.9 bert-score "
        "--goal-function targeted-classification^target_class=1",
        [
            f"unfool attack {BERT} --attack beam:space=synonyms,width=4 --target 1 "
            "--constrain 'stop-words,word-similarity>=0.9' --n 10"
        ],
        ["the constraint bert-score"],
    ),
    (
        "textattack attack --model bert-base-uncased-mr --transformation word-swap-qwerty --search greedy-word-wir",
        [f"unfool attack {BERT} --attack beam:space=slips,width=1 --constrain stop-words --n 10"],
        ["word-swap-qwerty by itself (slips offers", "greedy-word-wir over word-swap-qwerty"],
    ),
    (
        "textattack attack --model bert-base-uncased-mr --search-method pso --constraints --brand-new 3",
        [f"unfool attack {BERT} --attack pso:substitutes=neighbours --n 10"],
        ["--brand-new (unknown"],
    ),
]


@pytest.mark.parametrize(("theirs", "ours", "lost"), COMMANDS, ids=[theirs for theirs, *_ in COMMANDS])
def test_a_command_line_is_said_as_ours(theirs: str, ours: list[str], lost: list[str]) -> None:
    found = translate(theirs)
    assert list(found.commands) == ours
    assert len(found.lost) == len(lost)
    for told, begins in zip(found.lost, lost, strict=True):
        assert told.startswith(begins)
    for line in found.commands:
        name, *arguments = shlex.split(line)
        assert name == "unfool"
        check_names(parsed(arguments))


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        ("textattack augment --recipe eda", "no `textattack attack"),
        ("ls -l", "no `textattack attack"),
        ("textattack attack --recipe 'textfooler", "cannot be read"),
        ("textattack attack --recipe textfoler --model lstm-mr", "textfooler"),
        ("textattack attack --recipe french --model lstm-mr", "recipe class only.*: pwws --language French"),
        ("textattack attack --recipe pwws", "no model"),
        ("textattack attack --recipe pwws --model ./mine", "no data"),
        ("textattack attack --recipe pwws --model lstm-mr -n many", "many"),
    ],
)
def test_what_is_no_attack_is_refused(theirs: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        translate(theirs)


def test_the_command_prints_ours_and_tells_what_is_lost_apart() -> None:
    done = CliRunner().invoke(app, ["from-textattack", COMMANDS[3][0]])
    assert done.stdout.splitlines() == COMMANDS[3][1]
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("no counterpart: the weights of lstm-mr")
