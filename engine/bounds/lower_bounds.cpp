#include "engine/bounds/lower_bounds.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {

namespace {

constexpr double kLeastCapacity = 1;  // words; of fewer, the bounds of one word hold
constexpr double kNoticeable = 1e-3;  // an exponent below is zero for people

// "A^0.5 B^0.5, N counted by size": the exponents in use.
std::string exponents_text(const AccessNest& nest, std::span<const double> s, std::span<const double> t) {
  std::vector<std::string> arrays, loops;
  for (std::size_t j = 0; j < s.size(); ++j)
    if (s[j] > kNoticeable) arrays.push_back(fmt::format("{}^{:.3g}", nest.accesses[j].array, s[j]));
  for (std::size_t l = 0; l < t.size(); ++l)
    if (t[l] > kNoticeable) loops.push_back(fmt::format("{}^{:.2g}", nest.loops[l].name, t[l]));
  std::string text = fmt::format("{}", fmt::join(arrays, " "));
  if (!loops.empty()) text += fmt::format("; small: {}", fmt::join(loops, " "));
  return text;
}

std::string piece_text(const AccessNest& nest, const SegmentBound& bound, double capacity) {
  if (bound.words == 0) return "everything fits";
  return fmt::format("{:.4g} MACs for {:.3g} x capacity; {}", bound.iterations, bound.piece / capacity,
                     exponents_text(nest, bound.s, bound.t));
}

std::string conv_text(const ConvolutionBound& bound) {
  return bound.small >= bound.large ? "filters small beside the memory" : "filters large beside the memory";
}

void add(std::vector<RaisedStep>& steps, const RaisedStep& step) {
  if (steps.empty() || steps.back().step.accesses != step.step.accesses) steps.push_back(step);
}

}  // namespace

LowerBounds::LowerBounds(const Workload& workload, TrafficRule rule, std::span<const double> word_sizes)
    : rule_(rule),
      nest_(access_nest(workload, word_sizes)),
      lifted_(heliolite::lifted(nest_)),
      rows_(rank_rows(lifted_)),
      segments_(lifted_, rows_, kLeastCapacity),
      convolution_(as_convolution(workload, word_sizes)) {
  for (std::size_t v = 0; v < nest_.accesses.size(); ++v) {
    const Access& access = nest_.accesses[v];
    // An array that is read at several places counts by what one of them touches.
    if (workload.tensors[v].access_of) continue;
    const auto words = static_cast<double>(touched_words(nest_, access));
    (access.is_output ? output_words_ : input_words_) += words;
    if (access.is_output)
      output_box_ = static_cast<double>(workload.tensor_words(static_cast<int>(v))) * access.word_size;
  }
}

// `words`: what must come in or, for outputs, begin a stay inside (docs/rules/bounds_iolb.md).
u64 LowerBounds::by_rule(double words) const {
  if (rule_.stores == rule_.outputs_are_read) words += rule_.stores ? output_words_ : -output_box_;
  return words > 0 ? static_cast<u64>(words) : 0;
}

u64 LowerBounds::compulsory() const {
  return static_cast<u64>(input_words_ + output_words_ * (rule_.stores + rule_.outputs_are_read));
}

std::vector<LowerBound> LowerBounds::at(double capacity) const {
  std::vector<LowerBound> bounds{{BoundKind::Compulsory, compulsory(), "every word once"}};
  const auto add = [&](BoundKind kind, const SegmentBound& segment) {
    bounds.push_back({kind, by_rule(static_cast<double>(segment.words)), piece_text(lifted_, segment, capacity)});
  };
  add(BoundKind::Hbl, segments_.program(capacity));
  if (convolution_) {
    const ConvolutionBound conv = convolution_bound(*convolution_, capacity);
    bounds.push_back({BoundKind::Conv, by_rule(std::max(conv.large, conv.small)), conv_text(conv)});
  }
  add(BoundKind::Iolb, segments_.best(capacity));
  return bounds;
}

u64 LowerBounds::words(double capacity) const {
  const std::vector<LowerBound> all = at(capacity);
  return best(all).words;
}

const LowerBound& best(std::span<const LowerBound> bounds) {
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const LowerBound& a, const LowerBound& b) { return a.words < b.words; });
}

u64 operand_units(const Workload& workload, const WordUnit& unit) {
  const WordUnit::Sizes sizes = unit.sizes(workload);
  return std::accumulate(sizes.begin(), sizes.begin() + workload.tensors.size(), u64{0});
}

std::optional<double> words_inside(const Boundary& wall, const Architecture& architecture, const Workload& workload) {
  if (!wall.capacity_words) return std::nullopt;
  // The boundary counts the operands of units that work side by side.
  const u64 operands = architecture.compute.instances > 1 ? 0 : operand_units(workload, wall.unit);
  return static_cast<double>(*wall.capacity_words + operands);
}

ScheduleBounds schedule_bounds(const Workload& workload, const OrojenesisOptions& options) {
  std::vector<double> sizes;
  u64 operands = 0;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    sizes.push_back(static_cast<double>(options.word_size[v]));
    operands += options.word_size[v];
  }
  return {LowerBounds(workload, {}, sizes), operands};
}

std::vector<RaisedStep> raised(std::span<const CurveStep> curve, const ScheduleBounds& schedules, u64 largest) {
  constexpr u64 kPointsPerBuffer = 16;
  std::vector<RaisedStep> out;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const CurveStep own = curve[i];
    const bool last = i + 1 == curve.size();
    const u64 end = last ? std::max(largest, own.buffer) + 1 : curve[i + 1].buffer;
    for (u64 buffer = own.buffer; buffer < end;) {
      if (schedules.at(buffer).words <= own.accesses) {
        add(out, {{buffer, own.accesses}, std::nullopt, i});
        break;
      }
      const u64 next = std::min(end, buffer + std::max<u64>(1, buffer / kPointsPerBuffer));
      const LowerBound there = schedules.at(next - 1);
      if (there.words > own.accesses) add(out, {{buffer, there.words}, there.kind, i});
      else add(out, {{buffer, own.accesses}, std::nullopt, i});
      buffer = next;
    }
  }
  return out;
}

}  // namespace heliolite
