"""Searches, costs, bounds and curves: what they answer, as objects, columns and pictures."""
import os
import signal
import tempfile
import threading
import time
import unittest
import warnings
from xml.etree import ElementTree

import heliolite as hl

GEMM = "gemm:64x64x64"
LONG = ("gemm:5040x5040x5040", "gemmini")  # takes minutes to prove, by energy


def check_html(case, shown):
    """That a notebook's picture or table is well formed."""
    ElementTree.fromstring(f"<div>{shown}</div>")
    case.assertTrue("<table" in shown or "<svg" in shown)


class Searches(unittest.TestCase):
    def test_a_network(self):
        answer = hl.map("alexnet", "eyeriss", objective="energy", threads=2)
        self.assertEqual(len(answer), 8)
        self.assertTrue(answer.all_feasible and not answer.interrupted)
        for layer in answer:
            self.assertEqual(layer.status, "optimal")
            self.assertEqual(layer.value, layer.lower_bound)
            self.assertAlmostEqual(hl.evaluate(layer.mapping).energy_pj, layer.energy_pj)
            self.assertEqual(layer.bounds[-1]["level"], "GLB")
            self.assertGreaterEqual(layer.bounds[-1]["words_moved"], layer.bounds[-1]["words"])
        self.assertAlmostEqual(answer.sum_of_layer_values / answer.energy_pj, 1)
        self.assertIs(answer["conv2"], answer[1])
        with self.assertRaises(KeyError):
            answer["conv99"]
        columns = answer.columns()
        self.assertEqual(columns["name"][:2], ["conv1", "conv2"])
        self.assertEqual({len(column) for column in columns.values()}, {8})
        for shown in (answer, answer[0], answer[0].mapping, answer.network, answer.machine):
            check_html(self, shown._repr_html_())

    def test_a_network_as_one(self):
        alone = hl.map("resnet18", "tpu_v4i")
        answer = hl.map("resnet18", "tpu_v4i", for_network=True)
        self.assertIsNone(alone.optimum)
        self.assertEqual(answer.optimum.status, "optimal")
        self.assertEqual(answer.optimum.value, answer.optimum.lower_bound)
        self.assertEqual(answer.optimum.value, answer.edp_of_totals_pj_cycles)
        self.assertLess(answer.optimum.value, alone.edp_of_totals_pj_cycles)
        differ = [a.name for a, b in zip(answer, alone) if a.energy_pj != b.energy_pj or a.cycles != b.cycles]
        self.assertEqual(answer.optimum.layers_that_differ, differ)

    def test_rates_energies_and_a_page(self):
        answer = hl.map("alexnet", "eyeriss_45nm", threads=2)
        seconds = answer.cycles * answer.machine.cycle_ns * 1e-9
        self.assertAlmostEqual(answer.rates.seconds / seconds, 1)
        self.assertAlmostEqual(answer.rates.watts / (answer.energy_pj * 1e-12 / seconds), 1)
        self.assertAlmostEqual(answer[0].rates.tops_per_watt / (2 * answer[0].workload.macs / answer[0].energy_pj), 1)
        for one in (answer, answer[0]):
            parts = sum(pj for level in one.energy_by_level().values() for pj in level.values())
            self.assertAlmostEqual(parts / one.energy_pj, 1)
        self.assertIn("weight", answer.energy_by_level()["DRAM"])
        self.assertTrue(repr(answer).startswith("<Answer alexnet on eyeriss_45nm, edp: "))
        self.assertLess(max(len(repr(answer)), len(repr(answer[0]))), 200)
        self.assertIsNone(hl.map(GEMM, "eyeriss").rates)  # states no cycle_ns
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "best.html")
            self.assertEqual(answer.report(page), page)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        for shown in ("alexnet on eyeriss_45nm", "conv3", "TOPS/W", "8 of" if not answer.all_feasible else "optimal"):
            self.assertIn(shown, text)
        with self.assertRaises(hl.Error):
            hl.report(answer)

    def test_what_a_run_is(self):
        block = {"layers": [{"name": "up", "gemm": "64x1x16"}, {"name": "down", "gemm": "16x1x64"}]}
        model = hl.map({"tokens": 2, "batch_in_sizes": 3, **block}, "eyeriss_45nm")
        self.assertAlmostEqual(model.throughput.tokens_per_second * model.rates.seconds, 6)
        self.assertAlmostEqual(model.throughput.inferences_per_second * model.rates.seconds, 3)
        self.assertAlmostEqual(model.throughput.token_energy_pj * 6 / model.energy_pj, 1)
        self.assertEqual(sum("layers are mapped alone" in note for note in model.notes), 1)
        part = hl.map({"one_run": "one of 3 blocks", **block}, "eyeriss_45nm")
        self.assertEqual(part.network.one_run, "one of 3 blocks")
        self.assertIsNone(part.throughput.inferences_per_second)
        self.assertAlmostEqual(part.throughput.runs_per_second * part.rates.seconds, 1)
        with tempfile.TemporaryDirectory() as folder:
            with open(model.report(os.path.join(folder, "a.html")), encoding="utf-8") as file:
                text = file.read()
        self.assertIn("Tokens", text)
        self.assertIn("layers are mapped alone", text)
        for single in (hl.map(GEMM, "eyeriss_45nm"), hl.map(block, "eyeriss_45nm", layer="up")):
            self.assertIsNone(single.throughput)
            self.assertEqual(single.notes, [])

    def test_constraints_read_otherwise_are_notes(self):
        machine = {"architecture": {"name": "m", "levels": [
            {"name": "DRAM", "dram": True, "energy": 100, "constraints": {"temporal": {"factors": ["C=4"]}}},
            {"name": "Buf", "entries": 4096, "energy": 2}], "compute": {"energy": 1}}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = hl.map("conv:c=3,k=8,p=8,r=3", machine)
        self.assertEqual([str(one.message) for one in caught if one.category is hl.Note], answer.notes)
        self.assertEqual(len(answer.notes), 1)

    def test_notes_are_warnings(self):
        odd = """
architecture:
  version: 0.3
  subtree:
  - name: chip
    local:
    - {name: DRAM, class: DRAM, attributes: {word-bits: 8, buffer_kind: open}}
    - {name: MAC, class: intmac, attributes: {datawidth: 8}}
"""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            machine = hl.architecture(odd)
        self.assertIn("buffer_kind", " ".join(machine.notes))
        self.assertEqual([str(one.message) for one in caught if one.category is hl.Note], machine.notes)
        for one in caught:
            self.assertEqual(one.filename, __file__)

    def test_an_infeasible_layer(self):
        tiny = {"architecture": {"base": "eyeriss", "levels": [
            {"name": "PsumSpad", "constraints": {"temporal": {"factors": ["K=7"]}}}]}}
        answer = hl.map({"layers": [{"name": "a", "gemm": "8x8x8"}, {"name": "b", "gemm": "7x7x7"}]}, tiny)
        layer = answer["a"]
        self.assertEqual((layer.status, layer.energy_pj, layer.mapping), ("infeasible", None, None))
        self.assertIn("K", layer.reasons[0])
        self.assertEqual((answer["b"].status, answer.all_feasible), ("optimal", False))
        check_html(self, layer._repr_html_())

    def test_options(self):
        self.assertIn("least_units", hl.search_options())
        answer = hl.map(GEMM, "eyeriss", strategy="random", victory=20, seed=3, without=["beam", "refine"], look=False)
        self.assertEqual((answer[0].strategy, answer[0].status), ("random", "bounded"))
        self.assertIsNotNone(hl.map("gemm:7x64x64", "eyeriss", look=True)[0].any_look.mapping)

    def test_progress(self):
        news = []
        hl.map("alexnet", "eyeriss", layer="conv3", progress=news.append)
        self.assertEqual((news[-1].layers_done, news[-1].layers), (1, 1))
        self.assertIn("1/1 layers", str(news[-1]))

        def fail(_):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            hl.map("alexnet", "eyeriss", progress=fail)

    def test_the_lock_is_free_meanwhile(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.005):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        hl.map(*LONG, objective="energy", budget=0.5, threads=1)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 20)

    def test_interrupts_keep_what_was_found(self):
        found = threading.Event()

        def interrupt():
            found.wait()
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            hl.map(*LONG, objective="energy", budget=60, threads=1, progress=lambda news: news.value and found.set())
        thread.join()
        self.assertLess(caught.exception.answer.seconds, 30)
        layer = caught.exception.answer[0]
        self.assertTrue(caught.exception.answer.interrupted)
        self.assertEqual((layer.status, layer.ended_by), ("bounded", "interrupted"))
        self.assertLess(layer.lower_bound, layer.value)

    def test_interrupts_end_the_work_on_curves(self):
        thread = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            hl.curve("conv:n=4,k=360,c=240,p=60,r=5,stride=2", imperfect=True)
        thread.join()
        time.sleep(0.2)
        before = time.process_time()
        time.sleep(0.3)
        self.assertLess(time.process_time() - before, 0.2)


class Costs(unittest.TestCase):
    LEVELS = [
        {"level": "DRAM", "temporal": [{"N": 2}, {"K": 4}]},
        {"level": "GLB", "temporal": [{"N": 32}, {"M": 8}], "spatial": {"x": [{"M": 8}], "y": [{"K": 8}]}},
        {"level": "PsumSpad", "temporal": [{"K": 2}]},
    ]

    def test_evaluate_and_explain_agree(self):
        model = hl.CostModel(GEMM, "eyeriss")
        cost, explained = model.evaluate(self.LEVELS), model.explain(self.LEVELS)
        self.assertEqual(cost, hl.evaluate(model.mapping(self.LEVELS)))
        self.assertEqual((cost.energy_pj, cost.cycles), (explained.energy_pj, explained.cycles))
        self.assertEqual(cost.edp_pj_cycles, cost.energy_pj * cost.cycles)
        parts = sum(sum(level.values()) for level in explained.energy_by_level().values())
        self.assertAlmostEqual(parts / cost.energy_pj, 1)
        self.assertEqual(explained.rows()[0]["level"], "DRAM")
        check_html(self, explained._repr_html_())

    def test_true_counts(self):
        answer = hl.map("gemm:7x61x67", "eyeriss", factors="any", evaluations=5000)[0]
        self.assertFalse(answer.mapping.factors_divide)
        explained = hl.explain(answer.mapping, counts="true")
        self.assertEqual((explained.counts, explained.energy_pj), ("true", answer.energy_pj))
        with self.assertRaises(hl.Error) as caught:
            hl.evaluate(self.LEVELS, GEMM, "eyeriss", counts="exact")
        self.assertEqual((caught.exception.value, caught.exception.allowed), ("exact", "timeloop or true"))

    def test_mappings_of_something_else_are_refused(self):
        other = hl.mapping(self.LEVELS, GEMM, "eyeriss")
        with self.assertRaisesRegex(hl.Error, "must be of"):
            hl.CostModel("gemm:32x64x64", "eyeriss").evaluate(other)
        with self.assertRaisesRegex(hl.Error, "needs its workload"):
            hl.evaluate(self.LEVELS)


class Bounds(unittest.TestCase):
    def test_no_mapping_is_below(self):
        answer = hl.map("resnet18", "eyeriss", layer="conv3_x")
        self.assertEqual((len(answer), answer[0].count), (1, 3))
        best = hl.bound(answer.network, answer.machine).best()
        moved = {b["level"]: b["words_moved"] for b in answer[0].bounds}
        self.assertTrue({b.level for b in best} & set(moved))
        for bound in best:
            self.assertLessEqual(bound.words, moved[bound.level])

    def test_of_buffers_and_networks(self):
        bounds = hl.bound("bert_base_block", buffers=[1024, 2**20])
        whole = [b.words for b in bounds if b.kind == "network"]
        self.assertEqual(len(whole), 2)
        self.assertGreaterEqual(whole[0], whole[1])
        check_html(self, bounds._repr_html_())
        for wrong in ([], [0]):
            with self.assertRaises(hl.Error):
                hl.bound(GEMM, buffers=wrong)

    def test_curves(self):
        nested, one = hl.curve(GEMM), hl.curve(GEMM, nested=False)
        self.assertLessEqual(nested.at(1000), one.at(1000))
        self.assertEqual(nested.accesses[-1], nested.minimum)
        self.assertIsNone(one.at(-1))
        self.assertEqual(list(nested.columns()), ["buffer_words", "accesses", "by"])
        # Raised to what no execution beats, as the command's: curves of mappings are low where windows leave holes.
        strided = "resnet50/conv3_1b"
        curve = hl.curve(strided, nested=False)
        self.assertIn("hbl", curve.by)
        for bound in hl.bound(strided, buffers=[1569 + 3]):  # three operands; a point holds for a sixteenth of a buffer
            self.assertGreaterEqual(curve.at(1569) * 17 / 16, bound.words)
        check_html(self, nested._repr_html_())

    def test_fusion(self):
        fused = hl.fuse("bert_base_block", buffers=[50_000, 500_000])
        self.assertEqual(fused.buffer_words, [50_000, 500_000])
        for with_fusion, without in zip(fused.fused, fused.unfused):
            self.assertLessEqual(with_fusion, without)
        self.assertTrue(any(len(s["layers"]) > 1 for s in fused.segments(500_000)))
        check_html(self, fused._repr_html_())


if __name__ == "__main__":
    unittest.main()
