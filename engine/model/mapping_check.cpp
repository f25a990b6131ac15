#include "engine/model/mapping_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/model/keep.h"
#include "engine/model/true_counts/cost.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

// Iterations when residuals are ignored, of one dimension's loops and of all loops: counts stay within 64 bits. Far
// above what a mapping needs that reaches its bounds in earnest.
constexpr double kMostOfADimension = 1LL << 36;
constexpr double kMostIterations = 4e18;

Diagnostic complaint(std::string field, std::string message) { return {"", 0, std::move(field), std::move(message)}; }

const char* kind_name(LoopKind kind) {
  return kind == LoopKind::SpatialX ? "spatial x" : kind == LoopKind::SpatialY ? "spatial y" : "temporal";
}

// Iterations of the loops of a dimension together: n = end * (n - 1) + residual, outermost first. Stops growing
// above every legal size.
u64 iterations(const Mapping& m, int dimension) {
  u64 n = 1;
  for (int k = m.loop_count - 1; k >= 0 && n <= kMaxDimensionSize; --k)
    if (m.loop[k].dimension == dimension) n = m.loop[k].end * (n - 1) + m.loop[k].residual;
  return n;
}

// Residuals with which factors that count to more than the size give it: the last iteration of each loop is a digit of
// size - 1. Empty where some have residuals, or where they count to less.
std::string residual_hint(const Mapping& m, int dimension, const Workload& w, const Architecture& a) {
  const Dimension& d = w.dimensions[dimension];
  u64 rest = d.size - 1;
  std::vector<std::string> factors;
  for (const Loop& loop : m.loops()) {
    if (loop.dimension != dimension) continue;
    if (!loop.is_perfect()) return "";
    const u64 last = rest % loop.end + 1;
    rest /= loop.end;
    if (last == loop.end) continue;
    const std::string& level = a.levels[loop.level].name;
    // Nothing is left for the loops outside it.
    if (rest == 0) factors.push_back(fmt::format("'{}={}' at {}", d.name, last, level));
    else factors.push_back(fmt::format("'{}={},{}' at {} ({} in the last tile)", d.name, loop.end, last, level, last));
  }
  if (rest != 0 || factors.empty()) return "";
  return fmt::format("; {} would give {}", join(factors), d.size);
}

void check_loops(const Mapping& m, const Workload& w, const Architecture& a, Diagnostics& out) {
  for (int k = 0; k < m.loop_count; ++k) {
    const Loop& loop = m.loop[k];
    if (loop.level >= a.levels.size() || loop.dimension >= w.dimensions.size()) {
      out.push_back(complaint(fmt::format("loop {}", k), "level or dimension out of range"));
      continue;
    }
    const std::string where =
        fmt::format("{} {} {}", a.levels[loop.level].name, kind_name(loop.kind), w.dimensions[loop.dimension].name);
    if (loop.end < 2 || loop.residual < 1 || loop.residual > loop.end)
      out.push_back(complaint(where, fmt::format("factor {} with residual {}, must be a factor of at least 2 and a "
                                                 "residual from 1 to the factor",
                                                 loop.end, loop.residual)));
    if (k > 0 && std::tuple(loop.level, loop.kind) < std::tuple(m.loop[k - 1].level, m.loop[k - 1].kind))
      out.push_back(complaint(where, "loop is not in nest order (by level, then x, y, temporal)"));
    if (loop.kind == LoopKind::Temporal && !a.levels[loop.level].loops_allowed)
      out.push_back(complaint(where, fmt::format("{} is part of a split level and takes no temporal loops; put them at "
                                                 "the group's innermost buffer",
                                                 a.levels[loop.level].name)));
    if (loop.is_spatial() && !loop.is_perfect()) {
      bool outer = false;
      for (int j = k + 1; j < m.loop_count; ++j) outer |= m.loop[j].dimension == loop.dimension;
      if (!outer)
        out.push_back(complaint(where, fmt::format("spatial factor {} with residual {} needs a loop over {} outside it",
                                                   loop.end, loop.residual, w.dimensions[loop.dimension].name)));
    }
  }
}

// Where the tiles of uneven mappings stand.
void check_stores(const Mapping& m, const Workload& w, const Architecture& a, Diagnostics& out) {
  if (m.is_even()) return;
  if (!m.is_perfect())
    out.push_back(complaint("",
                            "uneven tiles (tensors of a level with tiles at different places of the nest) need "
                            "factors that divide the sizes"));
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const auto is_own = [&](const Loop& l) { return l.level == i && l.kind == LoopKind::Temporal; };
    const auto loops = std::count_if(m.loops().begin(), m.loops().end(), is_own);
    bool outermost = m.keep[i] == 0;  // some tile of the level ends at its outermost loop
    for (std::size_t v = 0; v < kMaxTensors; ++v) {
      const u8 outside = m.outside[i][v];
      outermost |= contains(m.keep[i], v) && outside == 0;
      if (outside == 0) continue;
      const std::string tile = fmt::format("tile of {}", v < w.tensors.size() ? w.tensors[v].name : "?");
      if (!contains(m.keep[i], v))
        out.push_back(complaint(a.levels[i].name, tile + " has a place, but the level does not keep it"));
      else if (outside > loops)
        out.push_back(complaint(a.levels[i].name,
                                fmt::format("{} is inside {} loops of the level, which has {}", tile, outside, loops)));
      else if (i + 1 == a.levels.size())
        out.push_back(complaint(a.levels[i].name, tile + " must be the whole tensor at the outermost level"));
    }
    if (!outermost)
      out.push_back(complaint(a.levels[i].name,
                              "no tile has the level's outermost loop inside: that loop belongs to "
                              "the next level out"));
  }
}

std::string tensor_names(const Workload& w, TensorMask mask) {
  std::string out;
  for (std::size_t v = 0; v < w.tensors.size(); ++v)
    if (contains(mask, v)) out += (out.empty() ? "" : ", ") + w.tensors[v].name;
  return out;
}

std::string capacity_message(const LevelBreakdown& level, const Workload& w, const StorageLevel& storage) {
  std::string tiles;
  for (std::size_t v = 0; v < w.tensors.size(); ++v)
    if (level.tensor[v].kept)
      tiles += fmt::format("{}{} {}{}", tiles.empty() ? "" : ", ", w.tensors[v].name, level.tensor[v].tile_words,
                           size_text(w.tensors[v]));
  std::string holds = fmt::format("holds {} words", level.capacity_words);
  if (level.parts.sized) holds += fmt::format(" of {} bits", storage.word_bits);
  if (storage.multiple_buffering > 1)
    holds += fmt::format(" ({} / {} buffers)", *storage.entries, storage.multiple_buffering);
  return fmt::format("tile does not fit: {} {}, needs {} ({})", level.name, holds, level.used_words, tiles);
}

Diagnostics fanout_complaints(const Mapping& mapping, const Architecture& architecture) {
  Diagnostics out;
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    u64 x = 1, y = 1;
    for (const Loop& loop : mapping.loops())
      if (loop.level == i && loop.is_spatial()) {
        u64& axis = loop.kind == LoopKind::SpatialX ? x : y;
        axis = std::min(axis * loop.end, kMaxDimensionSize);  // far above any fan-out
      }
    const auto over = [&](const char* axis, u64 used, u64 allowed) {
      if (used > allowed)
        out.push_back(complaint(
            level.name, fmt::format("spatial factors along {} need {}, the fan-out has {}", axis, used, allowed)));
    };
    over("x", x, level.fanout_x);
    over("y", y, level.fanout_y);
  }
  return out;
}

// The factors of a dimension as text: "P: 7 (GLB) x 8 (DRAM) = 56".
std::string factor_product(const Mapping& mapping, int dimension, const Workload& workload,
                           const Architecture& architecture) {
  std::string out;
  for (const Loop& loop : mapping.loops()) {
    if (loop.dimension != dimension) continue;
    const std::string level = loop.level < architecture.levels.size() ? architecture.levels[loop.level].name : "?";
    const std::string factor =
        loop.is_perfect() ? fmt::format("{}", loop.end) : fmt::format("{},{}", loop.end, loop.residual);
    out += fmt::format("{}{} ({}{})", out.empty() ? "" : " x ", factor, level,
                       loop.kind == LoopKind::Temporal   ? ""
                       : loop.kind == LoopKind::SpatialX ? " x"
                                                         : " y");
  }
  const std::string& name = workload.dimensions[dimension].name;
  if (out.empty()) return name + ": no loop";
  return fmt::format("{}: {} = {}", name, out, iterations(mapping, dimension));
}

}  // namespace

Diagnostics well_formed(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out;
  if (mapping.level_count != architecture.levels.size()) {
    out.push_back(complaint("", fmt::format("mapping has {} levels, {} has {}", mapping.level_count, architecture.name,
                                            architecture.levels.size())));
    return out;
  }
  check_loops(mapping, workload, architecture, out);
  check_stores(mapping, workload, architecture, out);
  double all_ends = 1;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    double ends = 1;
    for (const Loop& loop : mapping.loops())
      if (loop.dimension == d) ends *= loop.end;
    all_ends *= ends;
    if (ends > kMostOfADimension) {
      out.push_back(complaint("", fmt::format("the factors of {} multiply to {:.2g}, at most {:.2g} is accepted",
                                              workload.dimensions[d].name, ends, kMostOfADimension)));
      continue;
    }
    const u64 n = iterations(mapping, static_cast<int>(d));
    if (n != workload.dimensions[d].size)
      out.push_back(complaint("", fmt::format("the factors of {} must multiply to its size {}, they give {} ({}){}",
                                              workload.dimensions[d].name, workload.dimensions[d].size, n,
                                              factor_product(mapping, static_cast<int>(d), workload, architecture),
                                              residual_hint(mapping, static_cast<int>(d), workload, architecture))));
  }
  if (out.empty() && all_ends > kMostIterations)
    out.push_back(complaint("", fmt::format("all factors together multiply to {:.2g}, at most {:.2g} is accepted",
                                            all_ends, kMostIterations)));
  const auto all = static_cast<TensorMask>((1u << workload.tensors.size()) - 1);
  const TensorMask missing = all & static_cast<TensorMask>(~mapping.keep[mapping.level_count - 1u]);
  if (missing != 0)
    out.push_back(complaint(
        architecture.levels.back().name,
        fmt::format("the outermost level must keep every tensor, it bypasses {}", tensor_names(workload, missing))));
  return out;
}

Diagnostics fits(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out = fanout_complaints(mapping, architecture);
  if (!out.empty()) return out;  // explain() looks at every receiver: there may be any number of them
  double steps = 1;
  for (const Loop& loop : mapping.loops()) steps *= loop.end;
  out = uncountable_energies(workload, architecture, steps);
  if (!out.empty()) return out;
  const Breakdown breakdown = CostModel(workload, architecture).explain(mapping);
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    if (breakdown.level[i].capacity_words != 0 && breakdown.level[i].used_words > breakdown.level[i].capacity_words)
      out.push_back(complaint(level.name, capacity_message(breakdown.level[i], workload, level)));
  }
  if (out.empty()) out = uncountable_cycles(breakdown, architecture);
  return out;
}

Diagnostics check(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out = well_formed(mapping, workload, architecture);
  return out.empty() ? fits(mapping, workload, architecture) : out;
}

Result<Counts> counts_named(const std::string& name, const CostModel& model, const Mapping& mapping) {
  const auto refused = [&](const std::string& must) {
    return Diagnostic{"", 0, "counts", fmt::format("counts = {}, must be {}", name, must)};
  };
  const auto word = [](Counts counts) { return heliolite::name(counts); };
  if (name == word(Counts::Timeloop)) return Counts::Timeloop;
  if (name != word(Counts::True)) return refused(fmt::format("{} or {}", word(Counts::Timeloop), word(Counts::True)));
  if (!mapping.is_perfect() && !has_true_counts(model.compiled()))
    return refused(fmt::format("{} for {} where factors do not divide: {}", word(Counts::Timeloop),
                               model.workload().name, kNoTrueCounts));
  return Counts::True;
}

Result<Cost> cost_or_reasons(const CostModel& model, const Mapping& mapping, Counts counts) {
  const Evaluation found = model.evaluate(mapping, counts);
  if (found.verdict == Verdict::Fits) return found.cost;
  Diagnostics errors = check(mapping, model.workload(), model.architecture());
  if (errors.empty()) errors = uncountable_cycles(model.explain(mapping, Counts::True), model.architecture());
  return errors;
}

}  // namespace heliolite
