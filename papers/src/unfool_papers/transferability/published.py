"""What Yuan et al. (2021) report about transfer, to stand beside our figures."""

from __future__ import annotations

DATA = {"ag_news": "AGNEWS", "rotten_tomatoes": "MR"}
FACTORS = ("input form", "architecture", "embedding", "capacity")

TABLE_2 = {
    ("AGNEWS", "pwws"): (0.286, 0.197, 0.085, 0.066),
    ("AGNEWS", "ga"): (0.030, 0.018, 0.015, 0.013),
    ("MR", "pwws"): (0.285, 0.145, 0.114, 0.045),
    ("MR", "ga"): (0.049, 0.021, 0.015, 0.011),
}

# Tables 3 and 4 name no data set and no attack; the published matrix is almost surely AGNEWS with PWWS.
TABLES_3_AND_4 = "by all signs AG News and PWWS"
TABLE_3: dict[str, tuple[float, ...]] = {
    "LSTM": (0.448, 0.394, 0.353, 0.190),
    "BiLSTM": (0.387, 0.420, 0.337, 0.183),
    "CNN": (0.343, 0.334, 0.442, 0.169),
    "BERT": (0.357, 0.346, 0.348, 0.396),
}
TABLE_4: dict[str, tuple[float, ...]] = {
    "Random": (0.457, 0.389, 0.445, 0.434, 0.214, 0.315, 0.166),
    "GloVe": (0.481, 0.503, 0.489, 0.493, 0.219, 0.336, 0.174),
    "word2vec": (0.473, 0.413, 0.472, 0.461, 0.216, 0.316, 0.165),
    "fastText": (0.481, 0.442, 0.482, 0.488, 0.222, 0.330, 0.169),
    "Character": (0.261, 0.233, 0.256, 0.256, 0.386, 0.300, 0.186),
    "ELMo": (0.406, 0.379, 0.401, 0.405, 0.256, 0.679, 0.216),
    "BERT": (0.348, 0.329, 0.343, 0.348, 0.328, 0.408, 0.396),
}

EXPERT = (
    "LSTM-W-Random-1",
    "CNN-C-Random-1",
    "LSTM-WC-ELMo-1",
    "BERT",
    "CNN-W-Random-1",
    "LSTM-C-Random-1",
    "CNN-WC-ELMo-1",
)
"""Table 8: the human expert's models, each ensemble the first so many of them."""

GENETIC = {
    ("AGNEWS", "pwws"): {
        2: "LSTM-WC-ELMo-4 CNN-W-GloVe-6",
        3: "BiLSTM-W-GloVe-2 LSTM-WC-ELMo-4 CNN-W-fastText-4",
        4: "LSTM-WC-ELMo-1 BiLSTM-W-GloVe-2 CNN-W-fastText-4 RoBERTa",
        5: "LSTM-WC-ELMo-1 BiLSTM-W-GloVe-2 LSTM-W-Random-4 CNN-W-fastText-4 RoBERTa",
        6: "LSTM-WC-ELMo-2 BiLSTM-W-GloVe-2 LSTM-W-Random-4 CNN-W-fastText-4 CNN-WC-ELMo-4 RoBERTa",
        7: "LSTM-WC-ELMo-2 BiLSTM-W-GloVe-2 LSTM-W-Random-4 CNN-W-fastText-4 CNN-WC-ELMo-4 CNN-W-GloVe-6 RoBERTa",
    },
    ("AGNEWS", "ga"): {
        2: "LSTM-WC-ELMo-1 CNN-WC-ELMo-1",
        3: "LSTM-WC-ELMo-1 CNN-C-Random-1 CNN-WC-ELMo-1",
        4: "BiLSTM-WC-ELMo-4 CNN-C-Random-1 CNN-WC-ELMo-1 CNN-WC-ELMo-6",
        5: "BiLSTM-WC-ELMo-4 CNN-C-Random-1 CNN-WC-ELMo-1 CNN-WC-ELMo-6 RoBERTa",
        6: "LSTM-WC-ELMo-4 BiLSTM-WC-ELMo-4 CNN-C-Random-1 CNN-WC-ELMo-1 CNN-WC-ELMo-6 RoBERTa",
        7: "LSTM-WC-ELMo-4 BiLSTM-WC-ELMo-4 CNN-C-Random-1 CNN-WC-ELMo-1 CNN-WC-ELMo-2 CNN-WC-ELMo-6 RoBERTa",
    },
    ("MR", "pwws"): {
        2: "LSTM-C-Random-4 CNN-WC-ELMo-6",
        3: "LSTM-C-Random-4 BiLSTM-W-GloVe-4 CNN-WC-ELMo-2",
        4: "LSTM-C-Random-4 BiLSTM-W-GloVe-4 CNN-W-fastText-2 CNN-WC-ELMo-2",
        5: "LSTM-W-W2vec-1 LSTM-C-Random-4 CNN-W-fastText-2 CNN-WC-ELMo-2 CNN-W-GloVe-6",
        6: "LSTM-W-W2vec-1 LSTM-C-Random-4 CNN-W-fastText-2 CNN-WC-ELMo-2 CNN-W-GloVe-6 RoBERTa",
        7: "LSTM-W-W2vec-1 LSTM-C-Random-4 BiLSTM-W-GloVe-4 CNN-WC-ELMo-2 CNN-W-GloVe-6 CNN-W-W2vec-6 RoBERTa",
    },
    ("MR", "ga"): {
        2: "BiLSTM-W-GloVe-4 RoBERTa",
        3: "LSTM-C-Random-4 BiLSTM-W-GloVe-4 RoBERTa",
        4: "LSTM-W-Random-1 LSTM-C-Random-4 CNN-W-GloVe-1 RoBERTa",
        5: "LSTM-W-Random-1 LSTM-C-Random-4 BiLSTM-W-GloVe-4 CNN-W-GloVe-1 RoBERTa",
        6: "LSTM-W-Random-1 LSTM-C-Random-4 BiLSTM-W-GloVe-4 BiLSTM-C-Random-4 CNN-W-GloVe-1 RoBERTa",
        7: "LSTM-W-Random-1 LSTM-W-W2vec-1 LSTM-C-Random-4 BiLSTM-W-GloVe-4 BiLSTM-C-Random-4 CNN-W-GloVe-1 "
        "RoBERTa",
    },
}
"""Table 8: the genetic search's ensembles."""
