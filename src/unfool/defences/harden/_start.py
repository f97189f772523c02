"""The net a training starts from: the victim itself, or one that has learnt nothing of the data yet."""

from __future__ import annotations

import tempfile
from pathlib import Path

from unfool.defences.harden._student import Student, student_of
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.victims import Options, Transformer, open_victim
from unfool.zoo import PREFIX, EncoderRecipe, NetRecipe, NetVictim, entry, first_front, make_net, parse

VICTIM, NEW = "victim", "new"


def starting_net(victim_name: str, start: str, options: Options, seed: int) -> Student:
    """Return the net to train; inside `seeded`, since new layers are drawn.

    Args:
        victim_name: The victim.
        start: ``victim`` for its own weights; ``new`` for those a model of the zoo starts with; else a folder, or a
            hub id, of an encoder that gets a new classification layer.
        options: How to open the victim.
        seed: Draws a zoo net's first weights.

    Raises:
        UserError: If there is no such start for this victim.
    """
    victim = open_victim(victim_name, options)
    student = student_of(victim)
    if start != VICTIM:
        fingerprint, student = student.fingerprint, _unlearnt(victim, victim_name, start, options, seed)
        student.fingerprint = fingerprint
    return student


def _unlearnt(victim: Predictor, victim_name: str, start: str, options: Options, seed: int) -> Student:
    if start != NEW:
        return _from_encoder(start, victim.labels, options)
    path = Path(victim_name.removeprefix(PREFIX)).expanduser()
    if not victim_name.startswith(PREFIX) or path.is_dir():
        raise UserError(
            f"unfool does not know what {victim_name} was before it was trained; "
            "name the folder of its encoder with --start"
        )
    recipe = entry(parse(victim_name).model).recipe
    if isinstance(recipe, EncoderRecipe):
        from unfool.zoo import pretrained

        return _from_encoder(str(pretrained.folder(recipe.encoder, seed)), victim.labels, options)
    assert isinstance(victim, NetVictim)
    assert isinstance(recipe, NetRecipe)
    front = first_front(recipe, victim.reads, seed)
    net = make_net(recipe.net, front, len(victim.labels), **victim.module.sizes)
    kind = type(victim)
    return student_of(kind(net, victim.reads, victim.labels, name=victim_name, device=options.device))


def _from_encoder(folder: str, labels: tuple[str, ...], options: Options) -> Student:
    from unfool.training import classifier

    model, tokenizer = classifier(folder, labels)
    with tempfile.TemporaryDirectory() as place:  # a victim is opened from a folder that is whole
        model.save_pretrained(place)
        tokenizer.save_pretrained(place)
        return student_of(Transformer(place, device=options.device))
