"""Sizes of tensors' words: stated in a source or in an argument, searched and priced with them."""
import os
import pathlib
import unittest

import heliolite as hl

GEMM = "gemm:64x64x64"
SIZES = {"weights": 4, "inputs": 8, "outputs": 32}
BY_NAME = {"A": 4, "B": 8, "Z": 32}
LEVELS = [
    {"level": "DRAM", "temporal": [{"N": 2}, {"K": 4}]},
    {"level": "GLB", "temporal": [{"N": 32}, {"M": 8}], "spatial": {"x": [{"M": 8}], "y": [{"K": 8}]}},
    {"level": "PsumSpad", "temporal": [{"K": 2}]},
]


class Sources(unittest.TestCase):
    def test_every_form_of_the_argument(self):
        for sizes in (SIZES, "weights=4,inputs=8,outputs=32", {"all": 32, "A": 4, "inputs": 8}):
            self.assertEqual(hl.workload(GEMM, word_bits=sizes).word_bits, BY_NAME)
        self.assertEqual(hl.workload(GEMM, word_bits=16).word_bits, dict.fromkeys("ABZ", 16))
        self.assertEqual(hl.workload(GEMM).word_bits, {})
        self.assertEqual([t.word_bits for t in hl.workload(GEMM, word_bits={"A": 8}).tensors], [8, None, None])

    def test_every_kind_of_source(self):
        stated = {"layers": [{"name": "a", "gemm": "2x3x4"}], "word_bits": 16}
        text = "layers: [{name: a, gemm: 2x3x4}]\nword_bits: 16\n"
        for source in (stated, text, hl.network(stated), hl.workload(stated), [hl.workload(stated)]):
            self.assertEqual(hl.network(source).layer().word_bits, dict.fromkeys("ABZ", 16))
            self.assertEqual(hl.network(source, {"A": 8}).layer().word_bits, {"A": 8, "B": 16, "Z": 16})
            self.assertEqual(hl.network(source, word_bits="none").layer().word_bits, {})
        self.assertIn("word_bits", hl.network(stated)._repr_html_())
        self.assertNotIn("word_bits", hl.network(GEMM)._repr_html_())
        written = hl.workload(GEMM, word_bits=SIZES)
        self.assertEqual(hl.workload(written.to_yaml()).word_bits, BY_NAME)
        self.assertNotEqual(written.hash, hl.workload(GEMM).hash)

    def test_what_is_wrong_says_so(self):
        for wrong, said in ((0, "'0'"), (-8, "'-8'"), (1.0003, "'1.0003'"), (True, "'True'"), ({}, "''"),
                            ({"A": "x"}, "'A=x'"), ("A=1,A=2", "second size"), ({"Q": 8}, "unknown tensor 'Q'"),
                            ("types", "ONNX"), ({"A": 4096}, "'A=4096'")):
            for source in (GEMM, {"layers": [{"name": "a", "gemm": "2x3x4"}]}):
                with self.assertRaises(hl.Error) as caught:
                    hl.network(source, word_bits=wrong)
                self.assertEqual(caught.exception.field, "word_bits")
                self.assertIn(said, caught.exception.message)


class Answers(unittest.TestCase):
    def test_sizes_of_the_machine_change_nothing(self):
        bits = {level.word_bits for level in hl.architecture("eyeriss").levels}
        self.assertEqual(len(bits), 1)
        sized, plain = hl.map(GEMM, "eyeriss", word_bits=bits.pop())[0], hl.map(GEMM, "eyeriss")[0]
        self.assertEqual((sized.energy_pj, sized.cycles, sized.mapping.levels),
                         (plain.energy_pj, plain.cycles, plain.mapping.levels))
        self.assertEqual((list(sized.word_bits), plain.word_bits), (["A", "B", "Z"], {}))

    def test_a_search_and_its_price_agree(self):
        answer = hl.map(GEMM, "eyeriss", objective="energy", word_bits=SIZES)
        self.assertEqual((answer[0].status, answer[0].word_bits), ("optimal", BY_NAME))
        self.assertAlmostEqual(hl.evaluate(answer[0].mapping).energy_pj, answer[0].energy_pj)
        explained = hl.explain(answer[0].mapping)
        self.assertEqual((explained.word_bits, explained.energy_pj), (BY_NAME, answer[0].energy_pj))
        self.assertIn("A of 4 bits", explained._repr_html_())
        self.assertLess(answer[0].energy_pj, hl.map(GEMM, "eyeriss", objective="energy", word_bits=32)[0].energy_pj)

    def test_a_mapping_with_other_sizes(self):
        mine = hl.mapping(LEVELS, GEMM, "eyeriss")
        small = hl.mapping(LEVELS, GEMM, "eyeriss", word_bits=SIZES)
        self.assertNotEqual(mine, small)
        self.assertEqual(mine, hl.mapping(LEVELS, GEMM, "eyeriss"))
        self.assertEqual(hl.mapping(mine, GEMM, "eyeriss", word_bits=SIZES).workload.word_bits, BY_NAME)
        for cost in (hl.evaluate(small), hl.evaluate(mine, word_bits=SIZES),
                     hl.evaluate(LEVELS, GEMM, "eyeriss", word_bits=SIZES),
                     hl.CostModel(GEMM, "eyeriss", SIZES).evaluate(LEVELS)):
            self.assertEqual(cost, hl.evaluate(small))
        self.assertLess(hl.evaluate(small).energy_pj, hl.evaluate(mine).energy_pj)
        self.assertEqual(hl.explain(mine, word_bits=SIZES).word_bits, BY_NAME)
        with self.assertRaisesRegex(hl.Error, "must be of"):
            hl.CostModel(GEMM, "eyeriss").evaluate(small)

    def test_networks_count_bytes_or_bits(self):
        name, buffers = "bert_base_block", [50_000, 500_000]
        words, sized = hl.fuse(name, buffers), hl.fuse(name, [2 * b for b in buffers], word_bits=16)
        self.assertEqual((words.unit, sized.unit), ("words", "bytes"))
        self.assertEqual(sized.fused, [2 * accesses for accesses in words.fused])
        mixed = hl.fuse(name, buffers, word_bits={"weights": 4, "inputs": 8, "outputs": 32})
        bounds = hl.bound(name, buffers=buffers, word_bits={"weights": 4, "inputs": 8, "outputs": 32})
        self.assertEqual({mixed.unit} | {bound.unit for bound in bounds}, {"bits"})
        for bound, fused in zip([b for b in bounds if b.kind == "network"], mixed.fused):
            self.assertLessEqual(bound.words, fused)
        self.assertIn("accesses [bits]", mixed.svg())
        with self.assertRaisesRegex(hl.Error, "states no size of its words"):
            hl.fuse(name, buffers, word_bits={"weights": 4})

    def test_bounds_count_bytes_or_bits(self):
        words, sized = hl.curve(GEMM), hl.curve(GEMM, word_bits=16)
        self.assertEqual((words.unit, sized.unit, hl.curve(GEMM, word_bits=SIZES).unit), ("words", "bytes", "bits"))
        self.assertEqual(sized.accesses, [2 * accesses for accesses in words.accesses])
        self.assertEqual(sized.minimum, 2 * words.minimum)
        for word_bits, unit in ((32, "bytes"), (SIZES, "bits"), ({"A": 4}, "bits")):
            bounds = hl.bound(GEMM, "eyeriss", word_bits=word_bits)
            self.assertEqual({bound.unit for bound in bounds}, {unit})
            answer = hl.map(GEMM, "eyeriss", word_bits=word_bits)[0]
            for level in answer.bounds:
                self.assertEqual(level["unit"], unit)
                self.assertGreaterEqual(level["distance"], 1)
                self.assertLessEqual(max(b.words for b in bounds if b.level == level["level"]), level["words_moved"])
        with self.assertRaisesRegex(hl.Error, "B of .* states no size of its words"):
            hl.bound(GEMM, buffers=[4096], word_bits={"A": 4})

    def test_room_is_counted_in_words_of_the_level(self):
        levels = hl.explain(LEVELS, GEMM, "eyeriss", word_bits=4).levels
        used = {level["level"]: level["used_words"] for level in levels}
        for room in hl.mapping(LEVELS, GEMM, "eyeriss", word_bits=4).room_dicts:
            words = sum(room["tensors"].values())
            self.assertLessEqual(words, used[room["level"]])
            self.assertGreater(words, used[room["level"]] - len(room["tensors"]))
        with self.assertRaisesRegex(hl.Error, "PsumSpad holds 16 words of 16 bits"):
            hl.mapping(LEVELS[:2] + [{"level": "PsumSpad", "temporal": [{"M": 2}]}], "gemm:128x64x32", "eyeriss",
                       word_bits={"outputs": 256})


if __name__ == "__main__":
    unittest.main()
