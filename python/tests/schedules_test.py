"""Schedules of networks: the answer, its file read back, pictures, and what is refused."""
import os
import tempfile
import unittest
from xml.etree import ElementTree

import heliolite as hl


MACHINE = {"architecture": {"name": "two_buffers", "word_bits": 16, "compute": {"name": "MAC", "energy": 1}, "levels": [
    {"name": "DRAM", "dram": True, "energy": {"read": 64, "fill": 64, "update": 64}},
    {"name": "Buf", "entries": 400, "energy": {"read": 6, "fill": 7, "update": 8}},
    {"name": "Reg", "entries": 3, "energy": {"read": 1, "fill": 1, "update": 1}}]}}
_LAYER = {"einsum": "z[i,j] += w[i,k] * x[k,j]", "sizes": {"i": 8, "j": 12, "k": 8}}
CHAIN = {"name": "chain", "layers": [{"name": "l1", **_LAYER}, {"name": "l2", "reads": {"x": "l1"}, **_LAYER}]}


class Schedules(unittest.TestCase):
    def test_an_answer_and_its_file(self):
        answer = hl.map_fused(CHAIN, MACHINE, threads=2)
        self.assertEqual(answer.status, "optimal")
        self.assertEqual(answer.value, answer.lower_bound)
        self.assertAlmostEqual(answer.value / answer.schedule.edp_pj_cycles, 1)
        self.assertLess(answer.value, answer.unfused_value)
        layers = [name for group in answer.groups for name in group["layers"]]
        self.assertEqual(layers, [layer.name for layer in hl.network(CHAIN).workloads])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.yaml")
            answer.schedule.save(path)
            for source in (path, answer.schedule.yaml):
                read = hl.schedule(source, CHAIN, MACHINE)
                self.assertEqual((read.text, read.yaml), (answer.schedule.text, answer.schedule.yaml))
                self.assertEqual((read.energy_pj, read.cycles), (answer.schedule.energy_pj, answer.schedule.cycles))
        self._check_homes(answer.schedule)
        ElementTree.fromstring(answer.schedule._repr_svg_())
        for shown in (answer._repr_html_(), answer.schedule._repr_html_(), answer.unfused._repr_html_()):
            ElementTree.fromstring(f"<div>{shown}</div>")
        self.assertIn("no schedule is below", answer._repr_html_())
        self.assertEqual(answer.kept_apart, [])

    def test_what_cannot_stay_inside(self):
        levels = [dict(level) for level in MACHINE["architecture"]["levels"]]
        levels[1]["keep"] = levels[2]["keep"] = "weights"
        machine = {"architecture": {**MACHINE["architecture"], "levels": levels}}
        (apart,) = hl.map_fused(CHAIN, machine).kept_apart
        self.assertEqual(apart["arrays"], ["l1.z"])
        self.assertIn("Buf", apart["why"])

    def _check_homes(self, schedule):
        fused = [group for group in schedule.groups if len(group["layers"]) > 1]
        self.assertTrue(fused)
        picture = schedule._repr_svg_()
        for group in schedule.groups:
            self.assertEqual(bool(group["homes"]), group in fused)
        for group in fused:
            self.assertEqual(group["capacity_words"], 400)
            for words in group["homes"].values():
                self.assertEqual(len(words), len(group["layers"]))
            taken = [sum(words) for words in zip(*group["homes"].values())]
            self.assertTrue(all(0 < words <= 400 for words in taken))
            for words in taken:
                self.assertIn(f">{words:,}<", picture)
        self.assertIn("of 400 while each layer runs", picture)

    def test_what_is_refused_says_what_to_do(self):
        for options, why in (({"strategy": "sunstone"}, "must be exact"), ({"tiles": "uneven"}, "must be even"),
                             ({"factors": "any"}, "must be perfect"), ({"open": True}, "must be left out")):
            with self.assertRaises(hl.Error) as raised:
                hl.map_fused(CHAIN, MACHINE, **options)
            self.assertIn(why, str(raised.exception))
        with self.assertRaises(hl.Error):
            hl.schedule("schedule: nothing\nmappings: {}\n", CHAIN, MACHINE)


if __name__ == "__main__":
    unittest.main()
