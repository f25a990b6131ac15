#pragma once
// Random small problems for searches: workloads of every family on machines of every kind, small enough that all their
// mappings can be looked at. The same for the same seed; a failing case is reproduced by its seed alone.
#include <string>
#include <utility>
#include <vector>

#include "arch/check.h"
#include "tests/support/exhaustive_oracle.h"
#include "tests/support/random_problem.h"
#include "tests/support/space_workloads.h"

namespace heliolite::testing {

struct SearchProblem {
  Workload workload;
  Architecture architecture;
  OracleAnswer answer;
};

struct SearchProblemOptions {
  u64 max_mappings = 20'000;
  bool open_keep = true;
  bool constraints = true;
  bool links = false;           // the machine has link transfers
  bool units = false;           // its compute units share the innermost level, and words on their way cost nothing
  bool interconnects = false;   // it has some
  bool word_bits = false;       // tensors state the sizes of their words
  bool parallelism = false;     // the machine asks for some share of its units
  bool reductions = false;      // levels say whether they reduce, and networks are dear
  bool sliding_output = false;  // ranks of the output slide, or skip words
  bool leakage = false;         // all instances leak, in use or not
  bool drain_reads = false;     // levels read what leaves an output's tile outwards
  bool ramps = false;           // cycles count ramps, and most levels are slow
  bool operators = false;       // no products, of some operations and cycles a point; something beside the levels leaks
};

namespace detail {

inline u64 random_size(Rng& rng) {
  constexpr std::array<u64, 12> kSizes{1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 9, 12};
  return kSizes[pick(rng, 0, kSizes.size() - 1)];
}

// "2*p+r", "p+3*r", ...: a rank that slides.
inline std::string sliding_rank(Rng& rng, const std::string& pixel, const std::string& kernel) {
  const u64 stride = chance(rng, 40) ? pick(rng, 2, 3) : 1, dilation = chance(rng, 30) ? pick(rng, 2, 3) : 1;
  return std::to_string(stride) + "*" + pixel + "+" + std::to_string(dilation) + "*" + kernel;
}

struct FamilyText {
  std::string name;
  std::vector<std::string> dimensions;
  std::vector<TensorText> tensors;  // output first
};

inline FamilyText random_family(Rng& rng) {
  const std::string pr = sliding_rank(rng, "P", "R"), qs = sliding_rank(rng, "Q", "S");
  constexpr Role kIn = Role::Input, kWeight = Role::Weight, kOut = Role::Output;
  switch (pick(rng, 0, 7)) {
    case 0:
      return {"conv1d", {"K", "C", "P", "R"}, {{"O", "K,P", kOut}, {"I", "C," + pr, kIn}, {"W", "K,C,R", kWeight}}};
    case 1:
      return {"conv2d",
              {"K", "C", "P", "Q", "R", "S"},
              {{"O", "K,P,Q", kOut}, {"I", "C," + pr + "," + qs, kIn}, {"W", "K,C,R,S", kWeight}}};
    case 2:
      return {"depthwise",
              {"D", "P", "Q", "R"},
              {{"O", "D,P,Q", kOut}, {"I", "D," + pr + ",Q", kIn}, {"W", "D,R", kWeight}}};
    case 3: return {"gemm", {"M", "N", "K"}, {{"Z", "M,N", kOut}, {"A", "M,K", kIn}, {"B", "K,N", kWeight}}};
    case 4:
      return {"batched", {"B", "M", "N", "K"}, {{"Z", "B,M,N", kOut}, {"X", "B,M,K", kIn}, {"Y", "B,K,N", kWeight}}};
    case 5:
      return {"mttkrp",
              {"I", "J", "K", "L"},
              {{"Z", "I,J", kOut}, {"A", "I,K,L", kIn}, {"B", "K,J", kWeight}, {"C", "L,J", kIn}}};
    case 6:
      return {"ttmc",
              {"I", "J", "K", "L", "M"},
              {{"Z", "I,L,M", kOut}, {"A", "I,J,K", kIn}, {"B", "J,L", kWeight}, {"C", "K,M", kIn}}};
    default:
      return {
          "sddmm", {"I", "J", "K"}, {{"Z", "I,J", kOut}, {"S", "I,J", kIn}, {"A", "I,K", kIn}, {"B", "K,J", kWeight}}};
  }
}

// Transposed convolutions and their like: a rank of the output is a sum of dimensions.
inline FamilyText random_sliding_output(Rng& rng) {
  const std::string pr = sliding_rank(rng, "P", "R"), qs = sliding_rank(rng, "Q", "S");
  constexpr Role kIn = Role::Input, kWeight = Role::Weight, kOut = Role::Output;
  switch (pick(rng, 0, 4)) {
    case 0:
      return {
          "transposed1d", {"K", "C", "P", "R"}, {{"O", "K," + pr, kOut}, {"I", "C,P", kIn}, {"W", "K,C,R", kWeight}}};
    case 1:
      return {"transposed2d",
              {"C", "P", "Q", "R", "S"},
              {{"O", pr + "," + qs, kOut}, {"I", "C,P,Q", kIn}, {"W", "C,R,S", kWeight}}};
    case 2:
      return {
          "transposed_depthwise", {"D", "P", "R"}, {{"O", "D," + pr, kOut}, {"I", "D,P", kIn}, {"W", "D,R", kWeight}}};
    case 3:
      return {"both_slide", {"C", "P", "R", "S"}, {{"O", pr, kOut}, {"I", "C,P+S", kIn}, {"W", "C,R,S", kWeight}}};
    default: return {"scattered", {"M", "N", "K"}, {{"Z", "2*M,N", kOut}, {"A", "M,K", kIn}, {"B", "K,N", kWeight}}};
  }
}

// Operators that are no products, of one operand or two.
inline FamilyText random_operator(Rng& rng) {
  const std::string pr = sliding_rank(rng, "P", "R"), qs = sliding_rank(rng, "Q", "S");
  constexpr Role kIn = Role::Input, kOut = Role::Output;
  switch (pick(rng, 0, 5)) {
    case 0: return {"activation", {"M", "N", "H"}, {{"Z", "H,M,N", kOut}, {"A", "H,M,N", kIn}}};
    case 1: return {"sum", {"M", "N"}, {{"Z", "M,N", kOut}, {"A", "M,N", kIn}, {"B", "M,N", kIn}}};
    case 2: return {"rows", {"H", "M", "N"}, {{"R", "H,N", kOut}, {"S", "H,M,N", kIn}}};
    case 3: return {"by_rows", {"H", "M", "N"}, {{"P", "H,M,N", kOut}, {"S", "H,M,N", kIn}, {"R", "H,N", kIn}}};
    case 4: return {"pool1d", {"C", "P", "R"}, {{"Z", "C,P", kOut}, {"A", "C," + pr, kIn}}};
    default: return {"pool2d", {"C", "P", "Q", "R", "S"}, {{"Z", "C,P,Q", kOut}, {"A", "C," + pr + "," + qs, kIn}}};
  }
}

inline Workload random_family_workload(Rng& rng, bool sliding_output = false, bool operators = false) {
  FamilyText text = operators ? random_operator(rng) : sliding_output ? random_sliding_output(rng) : random_family(rng);
  std::vector<Dimension> dimensions;
  for (const std::string& name : text.dimensions) dimensions.push_back({name, random_size(rng)});
  return make_workload(text.name, std::move(dimensions), std::move(text.tensors));
}

// Decides some tensors of a level and leaves the others open, `left` of them in the whole machine.
inline void random_keep(Rng& rng, const Workload& w, StorageLevel& level, int& left) {
  const u64 kind = pick(rng, 0, 2);
  if (kind == 0) {
    level.keep.keep = {"all"};
    return;
  }
  for (const Tensor& t : w.tensors) {
    if (kind == 1 && left > 0 && chance(rng, 50)) {
      --left;
      continue;
    }
    (chance(rng, 65) ? level.keep.keep : level.keep.bypass).push_back(t.name);
  }
}

// A level becomes a chain of levels with one tensor each. Loops and the fan-out are the innermost one's; or, as in a
// list of Timeloop's, every part has loops.
inline void split_level(Rng& rng, const Workload& w, Architecture& a, std::size_t at) {
  const StorageLevel whole = a.levels[at];
  const bool loops = chance(rng, 30);
  std::vector<StorageLevel> parts;
  for (const Tensor& t : w.tensors) {
    StorageLevel part = whole;
    part.name += "_" + t.name;
    part.keep = {{t.name}, {"all"}};
    if (whole.entries) part.entries = pick(rng, 1, *whole.entries);
    part.energy.read_pj = static_cast<double>(pick(rng, 1, 80)) / 8;
    if (!parts.empty()) {
      part.fanout_x = part.fanout_y = 1;
      part.loops_allowed = loops;
      part.constraints = {};
    }
    parts.push_back(part);
  }
  a.levels.erase(a.levels.begin() + static_cast<std::ptrdiff_t>(at));
  a.levels.insert(a.levels.begin() + static_cast<std::ptrdiff_t>(at), parts.begin(), parts.end());
}

inline std::vector<std::string> some_dimensions(Rng& rng, const Workload& w, u64 percent) {
  std::vector<std::string> out;
  for (const Dimension& d : w.dimensions)
    if (chance(rng, percent)) out.push_back(d.name);
  shuffle(rng, out);
  return out;
}

inline FactorConstraint random_factor(Rng& rng, const Workload& w, u64 most) {
  const Dimension& d = w.dimensions[pick(rng, 0, w.dimensions.size() - 1)];
  Splitter splitter{d.size};
  const auto relation = static_cast<Relation>(pick(rng, 0, 2));
  return {d.name, relation, relation == Relation::AtMost ? pick(rng, 1, d.size) : splitter.choose(rng, most)};
}

inline void constrain(Rng& rng, const Workload& w, StorageLevel& level) {
  LevelConstraints& c = level.constraints;
  if (chance(rng, 30) && level.loops_allowed) c.temporal.allowed = some_dimensions(rng, w, 60);
  if (chance(rng, 40) && level.loops_allowed) c.temporal.factors.push_back(random_factor(rng, w, 4));
  if (chance(rng, 40)) c.temporal.order = some_dimensions(rng, w, 40);
  if (chance(rng, 40)) c.spatial.allowed_x = some_dimensions(rng, w, 60);
  if (chance(rng, 40)) c.spatial.allowed_y = some_dimensions(rng, w, 60);
  if (chance(rng, 30)) c.spatial.factors.push_back(random_factor(rng, w, std::min(level.fanout_x, level.fanout_y)));
  if (chance(rng, 20)) c.spatial.order = some_dimensions(rng, w, 40);
}

// Costs as much as the memories.
inline NetworkEnergy dear_network(Rng& rng) {
  const auto price = [&] { return chance(rng, 30) ? 0 : static_cast<double>(pick(rng, 1, 800)) / 8; };
  NetworkEnergy out;
  for (double* pj : {&out.hop_pj, &out.router_pj, &out.ingress_pj}) *pj = price();
  return out;
}

inline Architecture random_search_machine(Rng& rng, const Workload& w, const SearchProblemOptions& options) {
  RandomOptions shape;
  shape.max_levels = static_cast<int>(pick(rng, 2, 5));
  shape.capacities = true;
  shape.links = options.links;
  shape.reductions = options.reductions;
  Architecture a = random_architecture(rng, shape);
  if (options.units) {
    StorageLevel& shared = a.levels.front();
    shared.fanout_x = pick(rng, 2, 4), shared.fanout_y = pick(rng, 1, 3);
    a.compute.instances = shared.instances * shared.fanout_x * shared.fanout_y;
    a.compute.mesh_x = shared.mesh_x * shared.fanout_x;
    for (StorageLevel& level : a.levels) level.network = {}, level.address_generation_pj = 0;
  }
  a.one_axis_per_dimension = chance(rng, 40);
  int open = options.open_keep && chance(rng, 60) ? 4 : 0;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    StorageLevel& level = a.levels[i];
    if (level.entries) level.entries = pick(rng, 2, 2 + 4 * *level.entries / (4 + 8 * (a.levels.size() - i)));
    random_keep(rng, w, level, open);
    if (level.capacity_words() == 0) level.multiple_buffering = 1;
    // Slow memories: the bandwidths of random_architecture rarely bind on so little work.
    if (chance(rng, 15)) level.bandwidth.shared = static_cast<double>(pick(rng, 1, 8)) / 16;
    if (options.constraints && chance(rng, 20)) constrain(rng, w, level);
    if (options.reductions && chance(rng, 60)) level.network = dear_network(rng);
  }
  a.levels.back().keep = {};
  if (a.levels.size() <= 3 && chance(rng, 30)) split_level(rng, w, a, pick(rng, 0, a.levels.size() - 1));
  a.levels.back().keep = {};
  a.levels.back().entries.reset();
  a.levels.back().loops_allowed = true;
  if (options.interconnects) add_interconnects(rng, a);
  return a;
}

// A workload and a machine for it, well formed or not, whose mappings have not been counted.
inline SearchProblem random_pair(Rng& rng, const SearchProblemOptions& options) {
  RandomOptions shape;
  shape.max_size = 12;
  SearchProblem p;
  p.workload = chance(rng, 25) ? random_workload(rng, shape)
                               : random_family_workload(rng, options.sliding_output, options.operators);
  p.architecture = random_search_machine(rng, p.workload, options);
  p.architecture.drain_reads = options.drain_reads;
  if (options.word_bits) add_word_bits(rng, p.workload, p.architecture);
  if (options.parallelism) p.architecture.min_parallelism = static_cast<double>(pick(rng, 1, 20)) / 20;
  if (options.leakage) {
    p.architecture.all_leaks = true;
    for (StorageLevel& level : p.architecture.levels)
      if (chance(rng, 60)) level.leak_pj_per_cycle = static_cast<double>(pick(rng, 1, 400)) / 8;
  }
  if (options.ramps) {
    p.architecture.ramps = true;
    for (StorageLevel& level : p.architecture.levels)
      if (!level.bandwidth.shared && chance(rng, 70))
        level.bandwidth.shared = static_cast<double>(pick(rng, 2, 64)) / 8;
  }
  if (options.operators) {
    p.workload.operation = Operation::Elementwise;
    p.workload.operations = pick(rng, 1, 7);
    p.architecture.compute.cycles_per_op = pick(rng, 1, 3);
    if (chance(rng, 30)) p.architecture.beside_pj_per_cycle = static_cast<double>(pick(rng, 1, 40)) / 8;
    if (chance(rng, 30)) p.architecture.levels.back().leak_pj_per_cycle = static_cast<double>(pick(rng, 1, 40)) / 8;
  }
  return p;
}

}  // namespace detail

// A well-formed problem of at least a few and at most `max_mappings` mappings, legal ones or not, with its optima.
inline SearchProblem random_search_problem(u64 seed, const SearchProblemOptions& options = {}) {
  Rng rng(seed);
  for (;;) {
    SearchProblem p = detail::random_pair(rng, options);
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const auto answer = enumerate_mapspace(p.workload, p.architecture,
                                           {.limit = options.max_mappings, .innermost_orders = options.links});
    if (!answer || answer->mappings < 8 || (answer->legal == 0 && !chance(rng, 20))) continue;
    p.answer = *answer;
    return p;
  }
}

// A problem of the same kind in which rows and columns may change places, unless a constraint of the machine tells them
// apart.
inline SearchProblem square_search_problem(u64 seed, const SearchProblemOptions& options = {}) {
  Rng rng(seed);
  for (;;) {
    const u64 image = pick(rng, 2, 4), kernel = pick(rng, 1, 3), channels = pick(rng, 1, 3);
    const std::string slides = detail::sliding_rank(rng, "P", "R");
    std::string across = slides;
    for (char& letter : across) letter = letter == 'P' ? 'Q' : letter == 'R' ? 'S' : letter;
    const bool one_pair = chance(rng, 25);  // P and Q in one rank, alone
    SearchProblem p;
    p.workload = make_workload(
        "square", {{"C", channels}, {"P", image}, {"Q", image}, {"R", kernel}, {"S", one_pair ? 1 : kernel}},
        {{"O", "P,Q", Role::Output},
         {"I", one_pair ? "C,P+Q+R" : "C," + slides + "," + across, Role::Input},
         {"W", "C,R,S", Role::Weight}});
    p.architecture = detail::random_search_machine(rng, p.workload, options);
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const auto answer = enumerate_mapspace(p.workload, p.architecture, {.limit = options.max_mappings});
    if (!answer || answer->legal == 0) continue;
    p.answer = *answer;
    return p;
  }
}

}  // namespace heliolite::testing
