// Tensors whose words have sizes of their own (docs/cost_model.md, rule 44): by hand, and against machines and counts
// without them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "tests/support/random_problem.h"
#include "workloads/word_bits.h"

namespace heliolite::word_bits_test {
namespace {

using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;

constexpr auto kMachine = R"(
architecture:
  word_bits: 16
  levels:
  - {name: DRAM, dram: true, energy: 100, block_words: 4, bandwidth: {shared: 2}}
  - {name: Buffer, entries: 16, energy: {read: 1, fill: 2, update: 3}, bandwidth: {read: 1}}
  compute: {energy: 1}
)";

Workload gemm(const char* word_bits) {
  const auto text =
      std::string("einsum: Z[m,n] += A[m,k] * B[k,n]\nsizes: {m: 4, n: 4, k: 4}\nword_bits: ") + word_bits;
  return parse_network(text, "gemm.yaml")->layers.front().workload;
}

// The buffer's tile is all of m and n, and one k; DRAM has the loop over k.
Mapping of_tiles(const Workload& w) {
  Mapping m;
  m.level_count = 2;
  m.keep = {7, 7};
  m.add(LoopKind::Temporal, 0, *w.find_dimension("m"), 4);
  m.add(LoopKind::Temporal, 0, *w.find_dimension("n"), 4);
  m.add(LoopKind::Temporal, 1, *w.find_dimension("k"), 4);
  return m;
}

// Tiles of 4 words of A, 4 of B and 16 of Z: 4 x 8 + 4 x 4 + 16 x 12 = 240 bits of 256. At 16 bits each they are 384.
// The buffer is filled with 16 words of A, 8 bits, half a word each: 2 pJ x 16 / 2; and of B, a quarter. It is read
// once for each of 64 MACs. Z, three quarters of a word: updated 64 times, read 64 - 16 times; its tile never moves.
// DRAM's blocks are 64 bits: 16 x 8 bits of A are 2 blocks, 16 x 4 of B 1, 16 x 12 of Z 3.
TEST(WordBits, GemmByHand) {
  const Architecture machine = *parse_architecture(kMachine, "machine");
  const Workload w = gemm("{A: 8, B: 4, Z: 12}");
  const Mapping m = of_tiles(w);
  const CostModel model(w, machine);
  ASSERT_EQ(model.evaluate(m).verdict, Verdict::Fits);
  const Breakdown b = model.explain(m);
  const auto pj = [&](std::size_t level, const char* tensor) {
    return b.level[level].tensor[static_cast<std::size_t>(*w.find_tensor(tensor))].energy.picojoules();
  };
  EXPECT_DOUBLE_EQ(pj(0, "A"), 0.5 * (64 * 1 + 16 * 2));
  EXPECT_DOUBLE_EQ(pj(0, "B"), 0.25 * (64 * 1 + 16 * 2));
  EXPECT_DOUBLE_EQ(pj(0, "Z"), 0.75 * (48 * 1 + 64 * 3));
  EXPECT_DOUBLE_EQ(pj(1, "A"), 2 * 100);
  EXPECT_DOUBLE_EQ(pj(1, "B"), 1 * 100);
  EXPECT_DOUBLE_EQ(pj(1, "Z"), 3 * 100);
  EXPECT_EQ(b.level[0].used_words, 15u);
  EXPECT_EQ(b.level[0].capacity_words, 16u);
  // Reads of the buffer: 64 x 8 + 64 x 4 + 48 x 12 bits, 84 words of 16, one a cycle; the units need 64 cycles.
  EXPECT_EQ(b.level[0].cycles, 84u);
  EXPECT_EQ(b.level[1].cycles, 64u);
  EXPECT_EQ(model.evaluate(m).cost, (Cost{b.energy, b.cycles}));

  const Workload wide = gemm("{A: 8, B: 4, Z: 13}");
  EXPECT_EQ(CostModel(wide, machine).evaluate(m).verdict, Verdict::Fits);  // 256 bits
  const Workload wider = gemm("{A: 8, B: 5, Z: 13}");
  EXPECT_EQ(CostModel(wider, machine).evaluate(m).verdict, Verdict::OverCapacity);
  const Diagnostics said = fits(m, wider, machine);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said.front().message,
            "tile does not fit: Buffer holds 16 words of 16 bits, needs 17 (A 4 x 8 bits, B 4 x 5 bits, Z 16 x 13 "
            "bits)");
}

// A size that is the level's word changes nothing; and half a level takes two words of the other half.
RC_GTEST_PROP(WordBits, OfTheLevelChangeNothing, (const u64 seed, const bool imperfect, const bool exact)) {
  RandomOptions options;
  options.capacities = options.interconnects = true;
  options.imperfect = options.plain_output = imperfect;
  RandomProblem p = random_problem(seed, options);
  const Counts counts = exact ? Counts::True : Counts::Timeloop;
  const Evaluation plain = CostModel(p.workload, p.architecture).evaluate(p.mapping, counts);
  for (Tensor& t : p.workload.tensors) t.word_bits = 16;
  const Evaluation sized = CostModel(p.workload, p.architecture).evaluate(p.mapping, counts);
  RC_ASSERT(sized.verdict == plain.verdict);
  RC_ASSERT(sized.cost == plain.cost);
}

// Words of twice the level's are as on a machine of half the words, of twice their size and price.
RC_GTEST_PROP(WordBits, TwiceAsLargeIsHalfAMachine, (const u64 seed, const bool imperfect, const bool exact)) {
  RandomOptions options;
  options.capacities = options.interconnects = true;
  options.imperfect = options.plain_output = imperfect;
  RandomProblem p = random_problem(seed, options);
  const Counts counts = exact ? Counts::True : Counts::Timeloop;
  Architecture half = p.architecture;
  for (std::size_t i = 0; i < half.levels.size(); ++i) {
    StorageLevel& level = p.architecture.levels[i];
    StorageLevel& of_half = half.levels[i];
    if (level.block_words > 1) level.block_words *= 2;
    if (level.entries) level.multiple_buffering = 1, level.entries = 2 * *level.entries;
    of_half.word_bits = 32;
    of_half.block_words = level.block_words == 1 ? 1 : level.block_words / 2;
    if (of_half.entries) of_half.multiple_buffering = 1;
    // The price of a block stays; a word of its own costs twice as much.
    const double times = level.block_words == 1 ? 2 : 1;
    of_half.energy = {times * level.energy.read_pj, times * level.energy.fill_pj, times * level.energy.update_pj};
    of_half.address_generation_pj *= 2;
    of_half.network = {2 * level.network.hop_pj, 2 * level.network.router_pj, 2 * level.network.ingress_pj};
    for (auto* bandwidth : {&of_half.bandwidth.read, &of_half.bandwidth.write, &of_half.bandwidth.shared})
      if (*bandwidth) **bandwidth /= 2;
  }
  const Evaluation plain = CostModel(p.workload, half).evaluate(p.mapping, counts);
  for (Tensor& t : p.workload.tensors) t.word_bits = 32;
  const Evaluation sized = CostModel(p.workload, p.architecture).evaluate(p.mapping, counts);
  RC_ASSERT(sized.verdict == plain.verdict);
  RC_ASSERT(sized.cost.cycles == plain.cost.cycles);
  const double a = sized.cost.energy.picojoules(), b = plain.cost.energy.picojoules();
  RC_ASSERT(std::abs(a - b) <= 1e-9 * b);
}

// Sizes in quarters of a bit, which those of random problems are wholes of.
u64 quarters(WordLength length) { return length.in_units(WordLength::of_parts(1, 4)); }
u64 quarters_of(const Workload& w, std::size_t v, const StorageLevel& level) {
  return quarters(w.tensors[v].word_bits.value_or(level.word_bits));
}

// Accesses to words of this size: shares of a word if it is accessed alone, else whole blocks, counted in integers
// since a quotient in doubles that should be whole can lie a little above. Updates are below 0 where Timeloop's are.
double accesses_of(i64 words, u64 quarters_of_word, const StorageLevel& level) {
  const i64 all = words * static_cast<i64>(quarters_of_word), of_word = static_cast<i64>(quarters(level.word_bits));
  if (level.block_words == 1) return static_cast<double>(all) / static_cast<double>(of_word);
  const i64 of_block = of_word * static_cast<i64>(level.block_words);
  return static_cast<double>(all / of_block + (all % of_block > 0 ? 1 : 0));
}

// Energies, room and the need of bandwidths from the words that the breakdown counts, which know no sizes.
RC_GTEST_PROP(WordBits, CostFollowsFromTheWords, (const u64 seed, const bool links)) {
  RandomOptions options;
  options.word_bits = true;
  options.links = links;
  options.interconnects = !links;
  const RandomProblem p = random_problem(seed, options);
  const CostModel model(p.workload, p.architecture);
  const Breakdown b = model.explain(p.mapping);
  RC_ASSERT(model.evaluate(p.mapping).cost == (Cost{b.energy, b.cycles}));
  Workload plain = p.workload;
  for (Tensor& t : plain.tensors) t.word_bits.reset();
  const Breakdown words = CostModel(plain, p.architecture).explain(p.mapping);
  RC_ASSERT(b.compute.energy == words.compute.energy);
  for (std::size_t i = 0; i < b.level.size(); ++i) {
    const StorageLevel& level = p.architecture.levels[i];
    u64 used = 0;
    double reads = 0, writes = 0;
    for (std::size_t v = 0; v < plain.tensors.size(); ++v) {
      const TensorTraffic &t = b.level[i].tensor[v], &same = words.level[i].tensor[v];
      RC_ASSERT(t.reads == same.reads && t.fills == same.fills && t.updates == same.updates);
      RC_ASSERT(t.tile_words == same.tile_words);
      const u64 size = quarters_of(p.workload, v, level);
      const double share = static_cast<double>(size) / static_cast<double>(quarters(level.word_bits));
      const auto accesses = [&](i64 count) { return accesses_of(count, size, level); };
      const u64 clusters = std::min<u64>(t.instances, level.instances / level.cluster_size);
      const double pj = (accesses(t.reads) * level.energy.read_pj + accesses(t.fills) * level.energy.fill_pj +
                         accesses(t.updates) * level.energy.update_pj) *
                        static_cast<double>(clusters);
      RC_ASSERT(std::abs(t.energy.picojoules() - pj) <= 1e-6 * (1 + pj));
      const double network = words.level[i].network[v].energy.picojoules() * share;
      RC_ASSERT(std::abs(b.level[i].network[v].energy.picojoules() - network) <= 1e-6 * (1 + network));
      if (t.kept) used += t.tile_words * size;
      reads += static_cast<double>(t.reads) * share;
      writes += static_cast<double>(t.fills + t.updates) * share;
    }
    RC_ASSERT(b.level[i].used_words == ceil_div(used, quarters(level.word_bits)));
    const auto steps = static_cast<double>(b.compute.cycles);
    double cycles = steps;
    if (level.bandwidth.read) cycles = std::max(cycles, reads / *level.bandwidth.read);
    if (level.bandwidth.write) cycles = std::max(cycles, writes / *level.bandwidth.write);
    if (level.bandwidth.shared) cycles = std::max(cycles, (reads + writes) / *level.bandwidth.shared);
    RC_ASSERT(std::abs(static_cast<double>(b.level[i].cycles) - cycles) <= 1 + 1e-9 * cycles);
  }
}

// Only ratios count: of words that are all four times as long costs are the same, and parts of bits are whole ones.
RC_GTEST_PROP(WordBits, CountRatios, (const u64 seed, const bool imperfect)) {
  RandomOptions options;
  options.word_bits = options.plain_output = options.capacities = true;
  options.imperfect = imperfect;
  const RandomProblem p = random_problem(seed, options);
  RandomProblem longer = p;
  for (Tensor& t : longer.workload.tensors)
    if (t.word_bits) t.word_bits = *t.word_bits * 4;
  for (StorageLevel& level : longer.architecture.levels) level.word_bits = level.word_bits * 4;
  const Evaluation here = CostModel(p.workload, p.architecture).evaluate(p.mapping);
  const Evaluation there = CostModel(longer.workload, longer.architecture).evaluate(p.mapping);
  RC_ASSERT(here.verdict == there.verdict);
  RC_ASSERT(here.cost == there.cost);
}

// By hand: 32 words of MXFP4 are 17 bytes; a buffer of 17 bytes holds them, one of 16 does not.
TEST(WordBits, OfBlocksWithScales) {
  const Workload w =
      parse_network("{gemm: 1x1x32, word_bits: {A: mxfp4, B: nvfp4, Z: 8}}", "w.yaml")->layers[0].workload;
  const auto cost = [&](int bytes) {
    const Architecture a = *parse_architecture(
        fmt::format("architecture:\n  word_bits: 8\n  levels:\n  - {{name: DRAM, dram: true, energy: 100}}\n"
                    "  - {{name: Buffer, entries: {}, energy: 1}}\n  compute: {{energy: 0}}\n",
                    bytes),
        "m.yaml");
    const CostModel model(w, a);
    Mapping mapping;
    mapping.level_count = 2;
    mapping.keep = {7, 7};
    mapping.add(LoopKind::Temporal, 0, *w.find_dimension("K"), 32);
    return model.evaluate(mapping);
  };
  EXPECT_EQ(cost(35).verdict, Verdict::OverCapacity);
  ASSERT_EQ(cost(36).verdict, Verdict::Fits);  // 32 * 4.25 + 32 * 4.5 + 8 bits
  // DRAM: A and B are read once, Z is written. The buffer is filled and read at each MAC; Z is updated 32 times.
  const double dram = 100 * (17 + 18 + 1), buffer = 2 * (17 + 18) + 31 + 32;
  EXPECT_EQ(cost(36).cost.energy.picojoules(), dram + buffer);
}

// The two forms of imperfect costs, and of true counts.
RC_GTEST_PROP(WordBits, EvaluateEqualsExplain, (const u64 seed, const bool exact)) {
  RandomOptions options;
  options.word_bits = options.imperfect = options.plain_output = options.capacities = true;
  const RandomProblem p = random_problem(seed, options);
  const Counts counts = exact ? Counts::True : Counts::Timeloop;
  const CostModel model(p.workload, p.architecture);
  const Evaluation fast = model.evaluate(p.mapping, counts);
  const Breakdown b = model.explain(p.mapping, counts);
  bool fits = true;
  for (const LevelBreakdown& level : b.level)
    fits &= level.capacity_words == 0 || level.used_words <= level.capacity_words;
  RC_ASSERT((fast.verdict != Verdict::OverCapacity) == fits);
  if (fast.verdict == Verdict::Fits) RC_ASSERT(fast.cost == (Cost{b.energy, b.cycles}));
}

}  // namespace
}  // namespace heliolite::word_bits_test
