"""Scores a run with pytrec_eval: score_pytrec_eval.py QRELS RUN"""

import sys

import pytrec_eval

with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
scores = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recall.50", "ndcg_cut.10"}).evaluate(run)
for measure in "map", "recall_50", "ndcg_cut_10":
    mean = pytrec_eval.compute_aggregated_measure(measure, [query[measure] for query in scores.values()])
    print(f"{measure}\tall\t{mean:.4f}")
