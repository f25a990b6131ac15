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


def field(number, value):
    """A field of protobuf's wire format: an integer, or bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def model():
    """An ONNX model: a product of x [batch, 16] and w [16, 8], then my.domain::Op and a product with v [8, 4]."""
    shape = field(1, field(2, b"batch")) + field(1, field(1, 16))
    graph = field(1, field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"MatMul"))
    graph += field(1, field(1, b"y") + field(2, b"a") + field(4, b"Op") + field(7, b"my.domain"))
    graph += field(1, field(1, b"a") + field(1, b"v") + field(2, b"z") + field(4, b"MatMul"))
    graph += field(5, field(1, 16) + field(1, 8) + field(2, 1) + field(8, b"w"))
    graph += field(5, field(1, 8) + field(1, 4) + field(2, 1) + field(8, b"v"))
    graph += field(11, field(1, b"x") + field(2, field(1, field(1, 1) + field(2, shape))))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 17))


class Models(unittest.TestCase):
    def test_sizes_and_operators_are_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.onnx"
            path.write_bytes(model())
            self.assertIn("--dim batch=1", complaint(lambda: hl.network(path)).message)
            self.assertIn("--elementwise my.domain::Op", complaint(lambda: hl.network(path, dim={"batch": 4})).message)
            of = {"dim": {"batch": 4}, "elementwise": ["my.domain::Op"]}
            network = hl.network(path, **of)
            self.assertEqual(network.macs, 4 * 16 * 8 + 4 * 8 * 4)
            answer = hl.map(str(path), "eyeriss", **of)
            self.assertEqual([layer.workload.macs for layer in answer], [512, 128])
            self.assertEqual(hl.network(f"{path}@batch=4", elementwise="Op").macs, network.macs)
            self.assertGreater(len(hl.bound(path, buffers=[64], **of).bounds), 0)
            self.assertGreater(hl.curve(path, layer=network.workloads[0].name, **of).minimum, 0)
            # Edges where they matter: of fused schedules and of the bound of a whole network.
            self.assertEqual(len(network.edges), 0)
            self.assertEqual(len(hl.network(path, edges=True, **of).edges), 1)
            self.assertEqual(len(hl.fuse(path, [64], **of).network.edges), 1)
            apart = [b for b in hl.bound(network, buffers=[64]) if b.kind == "network"]
            whole = [b for b in hl.bound(path, buffers=[64], **of) if b.kind == "network"]
            self.assertLess(whole[0].words, apart[0].words)
            inside = hl.sweep({"sweep": {"machine": "eyeriss", "workloads": [str(path)], "strategy": "sunstone",
                                         "parameters": {"g": {"set": "GLB.entries", "values": [4096]}}}},
                              pathlib.Path(folder) / "s.db", **of)
            self.assertIn("layers are mapped alone", inside.notes[-1])
            self.assertIn("is of an ONNX model", complaint(lambda: hl.network({"gemm": "2x3x4"}, dim={"a": 1})).message)


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
        self.assertEqual(error.diagnostics[1].allowed,
                         "energy, delay, edp, ed2p, edap, energy_per_op, throughput_per_area, network_edp, "
                         "network_ed2p or network_edap")

    def test_of_words_in_quotes(self):
        error = complaint(lambda: hl.network(GEMM, word_bits={"A": 0}))
        self.assertEqual((error.field, error.value), ("word_bits", "A=0"))
        self.assertIn("1 to 1024 bits: a number such as 8 or 4.25", error.allowed)

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
