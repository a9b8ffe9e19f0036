"""Scores a run with ranx: score_ranx.py QRELS RUN"""

import sys

from ranx import Qrels, Run, evaluate

qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, ["map", "recall@50", "ndcg@10"]))
