"""Sweeps: run, go on, read, show."""
import os
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree

import heliolite as hl

SWEEP = {"sweep": {
    "name": "small", "machine": "eyeriss", "workloads": "gemm:64x64x64", "strategy": "sunstone",
    "parameters": {"glb": {"set": "GLB.entries", "values": [32768, 65536]}},
}}


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.database = pathlib.Path(self.folder.name) / "small.db"

    def test_a_dict(self):
        news = []
        swept = hl.sweep(SWEEP, self.database, threads=1, progress=news.append)
        self.assertEqual([p.parameters["glb"] for p in swept.points], ["32768", "65536"])
        self.assertEqual((news[-1].points, news[-1].planned), (2, 2))
        self.assertEqual(len(swept.layers(swept.best[0])), 1)
        self.assertEqual(set(swept.columns()) & {"id", "glb", "energy_pj"}, {"id", "glb", "energy_pj"})
        ElementTree.fromstring(f"<div>{swept._repr_html_()}</div>")
        again = hl.sweep(SWEEP, self.database, threads=1)  # nothing is left to do
        self.assertEqual(again.points, swept.points)
        self.assertEqual(hl.read_sweep(self.database).front, swept.front)

    def test_a_page(self):
        hl.sweep(SWEEP, self.database, objective="energy")
        try:
            page = hl.report(self.database)
        except hl.Error as error:
            self.assertIn("chart", str(error))  # built without the library of charts
            return
        self.assertEqual(page, os.path.join(self.folder.name, "small.html"))
        self.assertIn("<html", pathlib.Path(page).read_text(encoding="utf-8"))

    def test_complaints(self):
        with self.assertRaises(hl.Error) as caught:
            hl.sweep(SWEEP, self.database, goal="most")
        self.assertEqual((caught.exception.value, caught.exception.allowed), ("most", "all, front, best or explore"))
        wrong = {"sweep": {**SWEEP["sweep"], "machine": "eyeris"}}
        with self.assertRaisesRegex(hl.Error, "eyeriss"):
            hl.sweep(wrong, self.database)
        with self.assertRaises(hl.Error):
            hl.read_sweep(self.database)


if __name__ == "__main__":
    unittest.main()
