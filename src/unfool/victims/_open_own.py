"""Models of one's own by name, made by one's own code: ``torch:MODULE:FACTORY`` and ``pipeline:MODULE:OBJECT``."""

from __future__ import annotations

import inspect
from typing import Any

from unfool.engine import Predictor
from unfool.errors import UserError, in_one_line
from unfool.options import Options
from unfool.python_names import import_function, import_named
from unfool.victims._fingerprints import code_fingerprint, weights_fingerprint
from unfool.victims._foreign_code import Aside
from unfool.victims._kinds import victim_kind
from unfool.victims._wrapped import VictimName
from unfool.victims.torch_model import TorchModel


@victim_kind("torch:MODULE:FACTORY or torch:FILE.py:FACTORY")
def torch(name: str, options: Options) -> Predictor:
    """A net of one's own in PyTorch, with gradients."""
    from unfool.victims.torch_net import TorchNet

    named, aside = VictimName.read(name, batches=False), Aside()
    with aside():
        factory, module = import_function(named.bare, "torch:")
        model = _made_by(factory, named.bare)
    if not isinstance(model, TorchModel):
        raise UserError(
            f"{named.bare} gave a {type(model).__name__}; return unfool.victims.TorchModel(net=…, tokenizer=…, "
            "embedding=…, labels=…)"
        )
    victim = TorchNet(model, named.bare, device=options.device, aside=aside)
    victim.fingerprint = f"{code_fingerprint(factory, module)}+{weights_fingerprint(model.net)}"
    return named.decided(victim)


@victim_kind("pipeline:MODULE:OBJECT or pipeline:FILE.py:OBJECT")
def pipeline(name: str, options: Options) -> Predictor:
    """A pipeline of transformers, scikit-learn or spaCy."""
    from unfool.victims._pipelines import pipeline_of

    named, aside = VictimName.read(name, batches=False), Aside()
    with aside():
        found, _ = import_named(named.bare, "pipeline:", "pipeline")
        given = _made_by(found, named.bare) if inspect.isfunction(found) else found
    victim = pipeline_of(given, named.bare)
    if victim is None:
        raise UserError(
            f"{named.bare} is a {type(given).__name__}, and no pipeline of transformers, scikit-learn or spaCy; "
            "for a function from texts to probabilities give py:MODULE:FUNCTION"
        )
    return named.decided(victim)


def _made_by(function: Any, name: str) -> Any:
    try:
        return function()
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{name} could not make its model: {in_one_line(error)}") from error
