// The loop nest that Timeloop prints (timeloop-mapper.map.txt), read as a mapping.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/directives.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {
namespace {

// "GLB [ Inputs:16 (16) ]": the name and what stands between the brackets.
struct Heading {
  std::string_view name, tensors;
};

std::optional<Heading> heading(std::string_view line) {
  const std::size_t open = line.find(" [");
  if (open == 0 || open == std::string_view::npos || !line.ends_with(']') || line.starts_with('|')) return std::nullopt;
  return Heading{trim(line.substr(0, open)), trim(line.substr(open + 2, line.size() - open - 3))};
}

// Without the words of all instances together, "(64)".
std::string without_brackets(std::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')' && depth > 0) --depth;
  }
  return out;
}

// "for C in [0:16,3) (Spatial-X)".
struct PrintedLoop {
  std::string_view dimension;
  u64 end = 1, residual = 1;
  LoopKind kind = LoopKind::Temporal;
};

std::optional<PrintedLoop> printed_loop(std::string_view text) {
  const std::size_t in = text.find(" in ");
  if (!text.starts_with("for ") || in == std::string_view::npos || in < 4) return std::nullopt;
  PrintedLoop loop;
  loop.dimension = trim(text.substr(4, in - 4));
  const std::string_view range = trim(text.substr(in + 4));
  const std::size_t close = range.find(')');
  if (!range.starts_with("[0:") || close == std::string_view::npos) return std::nullopt;
  const std::string_view numbers = range.substr(3, close - 3);
  const std::size_t comma = numbers.find(',');
  const std::optional<u64> end = parse_number<u64>(trim(numbers.substr(0, comma)));
  const std::optional<u64> residual =
      comma == std::string_view::npos ? end : parse_number<u64>(trim(numbers.substr(comma + 1)));
  const std::string_view axis = trim(range.substr(close + 1));
  if (!end || !residual || !(axis.empty() || axis == "(Spatial-X)" || axis == "(Spatial-Y)")) return std::nullopt;
  loop.end = *end;
  loop.residual = *residual;
  if (!axis.empty()) loop.kind = axis == "(Spatial-X)" ? LoopKind::SpatialX : LoopKind::SpatialY;
  return loop;
}

class NestReader {
 public:
  NestReader(const std::string& file, const Workload& workload, const Architecture& architecture)
      : file_(file), workload_(workload), architecture_(architecture), loops_(architecture.levels.size()) {
    mapping_.level_count = static_cast<u8>(architecture.levels.size());
  }

  Result<Mapping> run(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      read(trim(text.substr(at, end - at)));
      at = end + 1;
    }
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const StorageLevel& level = architecture_.levels[i];
      if (!named_[i] && level.loops_allowed) complain_of(0, fmt::format("the nest has no heading for {}", level.name));
    }
    if (!errors_.empty()) return errors_;
    for (std::size_t i = 0; i < loops_.size(); ++i)
      for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) add(i, kind);
    if (!errors_.empty()) return errors_;
    for (const Diagnostic& error : well_formed(mapping_, workload_, architecture_))
      complain_of(0, error.field.empty() ? error.message : error.field + ": " + error.message);
    if (!errors_.empty()) return errors_;
    return mapping_;
  }

 private:
  struct LevelLoop {
    int dimension = 0;
    PrintedLoop printed;
    int line = 0;
  };

  void complain(std::string message) { complain_of(line_, std::move(message)); }
  void complain_of(int line, std::string message) { errors_.push_back({file_, line, "", std::move(message)}); }

  void read(std::string_view line) {
    const bool rule = line.find_first_not_of('-') == std::string_view::npos;
    if (rule) return;
    if (const std::optional<Heading> found = heading(line)) return open(*found);
    const std::string_view text = line.starts_with('|') ? trim(line.substr(1)) : "";
    if (text == "<< Compute >>") return;
    if (const std::optional<PrintedLoop> found = printed_loop(text)) return loop(*found);
    complain(
        fmt::format("'{}', must be a level with its tensors (GLB [ Inputs:16 (16) ]) or a loop (| for C in [0:16))",
                    shortened(line)));
  }

  void open(const Heading& found) {
    target_ = find_mapping_target(found.name, false, architecture_);
    if (!target_)
      return complain(fmt::format("level {}, must be {}", shortened(found.name),
                                  allowed_mapping_targets(found.name, architecture_)));
    TensorMask kept = 0;
    for (const std::string& entry : split(without_brackets(found.tensors), ' ')) {
      if (entry.empty()) continue;
      const std::string name = entry.substr(0, entry.find(':'));
      const std::optional<int> tensor = workload_.find_tensor(name);
      if (tensor) kept = static_cast<TensorMask>(kept | 1u << *tensor);
      else unknown("tensor", name, names_of(workload_.tensors));
    }
    if (target_->is_fanout) {
      if (kept != 0) complain(fmt::format("{} is a fan-out and keeps nothing", found.name));
      return;
    }
    if (named_[target_->level]) complain(fmt::format("a second heading of {}", found.name));
    named_[target_->level] = true;
    mapping_.keep[target_->level] = kept;
  }

  void loop(const PrintedLoop& found) {
    if (!target_) {
      if (errors_.empty()) complain("a loop above the first level");
      return;
    }
    const std::optional<int> dimension = workload_.find_dimension(found.dimension);
    if (!dimension) return unknown("dimension", std::string(found.dimension), names_of(workload_.dimensions));
    if (found.end < 1 || found.end > kMaxDimensionSize || found.residual < 1 || found.residual > found.end)
      return complain(
          fmt::format("{} of {} iterations, {} in the last tile: must be from 1 to {}, and not more in the "
                      "last tile",
                      found.dimension, found.end, found.residual, kMaxDimensionSize));
    if (target_->is_fanout && found.kind == LoopKind::Temporal && found.end > 1)
      return complain(fmt::format("a fan-out has no temporal loops, here over {}", found.dimension));
    loops_[target_->level].push_back({*dimension, found, line_});
  }

  void unknown(std::string_view what, const std::string& name, const std::vector<std::string>& known) {
    complain(fmt::format("unknown {} '{}', must be {}{}", what, shortened(name), join(known, "or"),
                         did_you_mean(name, known)));
  }

  // Adds a level's loops of one kind, which were printed outermost first.
  void add(std::size_t level, LoopKind kind) {
    for (auto at = loops_[level].rbegin(); at != loops_[level].rend(); ++at) {
      if (at->printed.kind != kind || at->printed.end == 1) continue;
      if (mapping_.loop_count == kMaxLoops) return complain_of(at->line, fmt::format("more than {} loops", kMaxLoops));
      mapping_.add(kind, static_cast<int>(level), at->dimension, at->printed.end, at->printed.residual);
    }
  }

  const std::string& file_;
  const Workload& workload_;
  const Architecture& architecture_;
  Mapping mapping_;
  std::vector<std::vector<LevelLoop>> loops_;  // [level]
  std::array<bool, kMaxLevels> named_{};       // [level]: has a heading
  std::optional<MappingTarget> target_;        // of the last heading
  Diagnostics errors_;
  int line_ = 0;
};

}  // namespace

bool is_timeloop_nest(std::string_view text) {
  const std::string_view start = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string_view first = trim(start.substr(0, start.find('\n')));
  return heading(first).has_value() && (text.find("| ") != std::string_view::npos) &&
         (text.find("for ") != std::string_view::npos || text.find("<< Compute >>") != std::string_view::npos);
}

std::optional<std::map<std::string, u64>> timeloop_nest_sizes(std::string_view text) {
  std::map<std::string, u64> sizes;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with('|') || line.find("<<") != std::string::npos) continue;
    const std::optional<PrintedLoop> loop = printed_loop(trim(std::string_view(line).substr(1)));
    if (!loop || loop->end != loop->residual) return std::nullopt;
    u64& size = sizes.emplace(loop->dimension, 1).first->second;
    if (loop->end == 0 || size > kMaxDimensionSize / loop->end) return std::nullopt;
    size *= loop->end;
  }
  return sizes;
}

Result<Mapping> read_timeloop_nest(std::string_view text, const std::string& file, const Workload& workload,
                                   const Architecture& architecture) {
  return NestReader(file, workload, architecture).run(text);
}

}  // namespace heliolite
