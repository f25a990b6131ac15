"""Machines, workloads and mappings from every kind of source, and what is said of wrong ones."""
import os
import pathlib
import tempfile
import unittest

import heliolite as hl

GEMM = "gemm:64x64x64"
EXAMPLES = pathlib.Path(os.environ["HELIOLITE_SOURCE"]) / "examples"


def complaint(call):
    """The Error that the call raises."""
    try:
        call()
    except hl.Error as error:
        return error
    raise AssertionError("nothing was raised")


class Sources(unittest.TestCase):
    def test_networks(self):
        layers = [{"name": "a", "gemm": "2x3x4", "count": 2}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.yaml"
            path.write_text("layers: [{name: a, gemm: 2x3x4, count: 2}]\n")
            for source in ({"layers": layers}, "layers:\n- {name: a, gemm: 2x3x4, count: 2}\n", path, str(path)):
                network = hl.network(source)
                self.assertEqual((network.macs, network.counts, len(network)), (48, [2], 1))
        preset = hl.network("resnet18")
        self.assertEqual(hl.network(preset.layer("conv1")).macs, preset.layer("conv1").macs)
        self.assertEqual(len(hl.network([preset.layer("conv1"), preset.layer("fc")])), 2)
        self.assertEqual([t.role for t in preset.layer("conv1").tensors], ["weight", "input", "output"])

    def test_machines(self):
        eyeriss = hl.architecture("eyeriss")
        self.assertEqual([l.name for l in eyeriss.levels][:2], ["DRAM", "GLB"])
        self.assertEqual(hl.architecture(eyeriss.to_yaml()).hash, eyeriss.hash)
        larger = hl.architecture({"architecture": {"base": "eyeriss", "levels": [{"name": "GLB", "entries": 100000}]}})
        self.assertEqual(larger.levels[1].entries, 100000)
        self.assertEqual(larger.compute.instances, eyeriss.compute.instances)

    def test_mappings(self):
        written = hl.mapping(EXAMPLES / "gemm.yaml", GEMM, "eyeriss")
        self.assertEqual(hl.mapping(EXAMPLES / "gemm_timeloop.yaml", GEMM, "eyeriss"), written)
        self.assertEqual(hl.mapping(written.levels, GEMM, "eyeriss"), written)
        self.assertEqual(hl.mapping(written.to_yaml(), GEMM, "eyeriss"), written)
        self.assertEqual(hl.mapping(written.to_timeloop(), GEMM, "eyeriss"), written)
        self.assertTrue(written.factors_divide)
        self.assertIsInstance(written.outside_mapspace, list)


class Complaints(unittest.TestCase):
    def test_of_a_text(self):
        text = "architecture:\n  base: eyeriss\n  levels:\n  - name: GLB\n    entries: -3\n"
        error = complaint(lambda: hl.architecture(text))
        self.assertEqual((error.file, error.line, error.field, error.value, error.allowed),
                         ("<text>", 5, "architecture.levels[0].entries", "-3",
                          "an integer from 1 to 1125899906842624"))
        self.assertIn("<text>:5: architecture.levels[0].entries: entries = -3", str(error))

    def test_of_a_dict_have_no_line(self):
        error = complaint(lambda: hl.network({"layers": [{"name": "a", "gemm": "2x3x4", "count": 0}]}))
        self.assertEqual((error.file, error.line, error.field, error.value),
                         (None, None, "layers[0].count", "0"))

    def test_all_at_once(self):
        error = complaint(lambda: hl.map(GEMM, "eyeriss", budget=-1, objective="speed", colour="red"))
        self.assertEqual([(d.field, d.value) for d in error.diagnostics],
                         [("budget", "-1"), ("objective", "speed"), ("colour", "colour")])
        self.assertEqual(error.diagnostics[1].allowed, "energy, delay, edp or ed2p")

    def test_of_words_in_quotes(self):
        error = complaint(lambda: hl.network(GEMM, word_bits={"A": 0}))
        self.assertEqual((error.field, error.value), ("word_bits", "A=0"))
        self.assertIn("a number of bits from 1 to 1024", error.allowed)

    def test_of_names(self):
        error = complaint(lambda: hl.architecture("eyeris"))
        self.assertEqual(error.value, "eyeris")
        self.assertIn("eyeriss, ", error.allowed)
        error = complaint(lambda: hl.mapping([{"level": "GLX"}], GEMM, "eyeriss"))
        self.assertEqual((error.value, error.field), ("GLX", "[0].level"))
        self.assertIn("GLB", error.allowed)
        self.assertIn("conv1", complaint(lambda: hl.workload("resnet18", "conv")).allowed)

    def test_of_types(self):
        for source in (3, None, object()):
            self.assertEqual(complaint(lambda: hl.network(source)).field, "network")
        with self.assertRaises(TypeError):
            hl.network({"layers": object()})

    def test_of_files(self):
        error = complaint(lambda: hl.network(pathlib.Path("/no/such/file.yaml")))
        self.assertIn("/no/such/file.yaml", error.file)

    def test_a_mapping_that_does_not_fit(self):
        levels = [{"level": "DRAM"}, {"level": "PsumSpad", "temporal": [{"M": 64}, {"N": 64}, {"K": 64}]}]
        self.assertIn("PsumSpad", str(complaint(lambda: hl.mapping(levels, GEMM, "eyeriss"))))


if __name__ == "__main__":
    unittest.main()
