#include "cli/map/nest_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kBar = 40;  // characters of a full level

// Outermost first, of the mapping's loops [first, last) of this kind.
std::vector<NestLoop> loops_of(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  std::vector<NestLoop> loops;
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[k];
    if (loop.kind == kind) loops.push_back({workload.dimensions[loop.dimension].name, loop.end, loop.residual});
  }
  return loops;
}

u64 iterations(const std::vector<NestLoop>& loops) {
  u64 product = 1;
  for (const NestLoop& loop : loops) product *= loop.end;
  return product;
}

std::string joined_loops(const std::vector<NestLoop>& loops) {
  std::vector<std::string> parts;
  for (const NestLoop& loop : loops) parts.push_back(loop.text(" "));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A letter for each tensor: the first of its name that no other has, else a digit.
std::string letters_of(const Workload& workload) {
  std::string letters;
  for (const Tensor& tensor : workload.tensors) {
    std::string wanted;
    for (const char c : tensor.name)
      if (std::isalpha(static_cast<unsigned char>(c)) != 0)
        wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::size_t free = (wanted + "0123456789").find_first_not_of(letters);
    letters += (wanted + "0123456789")[free];
  }
  return letters;
}

// "[IIIIWWOOOO++....]": a level's room, and whose words are in it; '+' are other layers'.
std::string bar_text(const NestLevel& level, const std::string& letters) {
  std::string bar;
  double words = 0;
  const auto add = [&](u64 more, char letter) {
    words += static_cast<double>(more);
    const auto end = static_cast<std::size_t>(std::lround(words / static_cast<double>(level.capacity_words) * kBar));
    // At least one, so that nothing is overlooked.
    bar.resize(std::clamp(end, std::min(bar.size() + 1, kBar), kBar), letter);
  };
  for (const NestPart& part : level.parts)
    for (const NestTensor& kept : part.kept) add(kept.words, letters[kept.tensor]);
  if (level.other_words > 0) add(level.other_words, '+');
  bar.resize(kBar, '.');
  return "[" + bar + "]";
}

// Lines with a column of level names before them.
class NestLines {
 public:
  explicit NestLines(std::size_t name_width) : width_(name_width) {}

  void add(const std::string& name, std::size_t depth, const std::string& words) {
    text_ += fmt::format("  {:<{}}  {}{}\n", name, width_, std::string(2 * depth, ' '), words);
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  std::string text_;
};

std::string room_text(const NestLevel& level, const std::string& letters) {
  if (level.capacity_words == 0) return fmt::format("no limit, {} words", grouped(level.used_words));
  return fmt::format("{}  {} of {} words, {}", bar_text(level, letters), grouped(level.used_words),
                     grouped(level.capacity_words),
                     percent(static_cast<double>(level.used_words) / static_cast<double>(level.capacity_words))) +
         (level.other_words == 0 ? "" : fmt::format(", {} of others (+)", grouped(level.other_words)));
}

std::string kept_text(const NestPart& part, const Workload& workload, const std::string& letters) {
  std::vector<std::string> kept;
  for (const NestTensor& t : part.kept)
    kept.push_back(fmt::format("{} {} {}", letters[t.tensor], workload.tensors[t.tensor].name, grouped(t.words)));
  return kept.empty() ? "keeps nothing" : fmt::format("keeps {}", fmt::join(kept, ", "));
}

}  // namespace

std::string NestLoop::text(const char* between) const {
  const std::string loop = fmt::format("{}{}{}", dimension, between, end);
  return residual == end ? loop : fmt::format("{} (last {})", loop, residual);
}

LoopNest loop_nest(const Mapping& mapping, const Breakdown& breakdown, const Workload& workload,
                   const Architecture& architecture) {
  LoopNest nest{{}, breakdown.compute.energy.picojoules(), breakdown.energy.picojoules()};
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const StorageLevel& machine = architecture.levels[i];
    const LevelBreakdown& costs = breakdown.level[i];
    const Energy energy = costs.energy();
    NestLevel level{machine.name,
                    {},
                    costs.used_words,
                    costs.capacity_words,
                    {},
                    {},
                    1,
                    1,
                    machine.fanout_x,
                    machine.fanout_y,
                    energy.picojoules()};
    for (const LevelPart& part : parts_of(mapping, i)) {
      NestPart& out = level.parts.emplace_back();
      for (const int v : bits(part.keep)) {
        const double words = costs.level_words(at(v), static_cast<double>(costs.tensor[v].tile_words));
        out.kept.push_back({v, static_cast<u64>(std::ceil(words))});
      }
      out.loops = loops_of(mapping, workload, part.first, part.last, LoopKind::Temporal);
    }
    const int first = first_loop(mapping, i), last = parts_of(mapping, i).back().last;
    level.across_x = loops_of(mapping, workload, first, last, LoopKind::SpatialX);
    level.across_y = loops_of(mapping, workload, first, last, LoopKind::SpatialY);
    level.used_x = iterations(level.across_x);
    level.used_y = iterations(level.across_y);
    nest.levels.push_back(std::move(level));
  }
  return nest;
}

std::string nest_drawing(const LoopNest& nest, const Workload& workload, const Architecture& architecture) {
  const std::string letters = letters_of(workload);
  std::size_t width = architecture.compute.name.size();
  for (const NestLevel& level : nest.levels) width = std::max(width, level.name.size());
  NestLines lines(width);
  std::size_t depth = 0;
  for (const NestLevel& level : nest.levels) {
    lines.add(level.name, 0, room_text(level, letters));
    for (const NestPart& part : level.parts) {
      const bool first = &part == &level.parts.front();
      lines.add("", first ? 0 : depth, kept_text(part, workload, letters));
      for (const NestLoop& loop : part.loops) lines.add("", depth++, "for " + loop.text(" in "));
    }
    if (!level.across_x.empty()) lines.add("", depth, "across X: " + joined_loops(level.across_x));
    if (!level.across_y.empty()) lines.add("", depth, "across Y: " + joined_loops(level.across_y));
    if (!level.across_x.empty() || !level.across_y.empty()) ++depth;
  }
  lines.add(architecture.compute.name, depth, "computes");
  return lines.text();
}

}  // namespace heliolite::cli
