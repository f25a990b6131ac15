#include "engine/sweep/set_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/sweep/point_mapper.h"

namespace heliolite {
namespace {

// Before a set: its shape, the machine that is not decided with it, and the values by their numbers from 0, such as
// "12 34; 0 1; 3".
constexpr std::string_view kSetOfValues = "machines: shape, without, values ";
constexpr u64 kNone = ~u64{0};

// The whole numbers in a text.
std::vector<u64> numbers_in(std::string_view text) {
  std::vector<u64> out;
  while (!text.empty()) {
    u64 k = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), k);
    if (read.ec == std::errc()) out.push_back(k);
    text.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(read.ptr - text.data())));
  }
  return out;
}

}  // namespace

SetRows::SetRows(const SweepSpec& spec, const DesignPoints& points, const MachineGrid& parts)
    : spec_(spec), points_(points), parts_(parts) {}

void SetRows::found(const PointRecord& row) {
  if (std::optional<Box> box = read_box(row.reason)) boxes_.push_back(*std::move(box));
  else decided_.insert(row.id);
  if (row.state == PointState::Excluded || row.state == PointState::Invalid) no_machines_.insert(row.id);
}

bool SetRows::decided(u64 point) const {
  if (decided_.contains(point)) return true;
  return std::ranges::any_of(boxes_, [&](const Box& box) {
    if (point == box.best) return false;
    for (std::size_t p = 0; p < box.values.size(); ++p)
      if (!box.values[p][parts_.choice(point, p)]) return false;
    return parts_.shape(point) == box.shape;
  });
}

std::vector<PointRecord> SetRows::of_excluded(const std::vector<u64>& points, Excluded why, const MachineValue& least,
                                              std::optional<u64> best) const {
  std::vector<PointRecord> out;
  std::vector<u64> without;
  std::ranges::copy_if(points, std::back_inserter(without), [this](u64 point) { return !decided_.contains(point); });
  if (without.empty()) return out;
  if (!row_for_each()) {
    out.push_back(row_of(std::ranges::min(without), why, least));
    out.back().reason += fmt::format(": {} {}{}", points.size(), kSetOfValues, box_text(points, best));
    return out;
  }
  for (const u64 point : without)
    if (point != best) out.push_back(row_of(point, why, least));
  std::ranges::sort(out, {}, &PointRecord::id);
  return out;
}

PointRecord SetRows::row_of(u64 point, Excluded why, const MachineValue& least) const {
  PointRecord out;
  out.id = point;
  out.values = points_.values(point);
  if (const std::optional<Architecture> machine = parts_.machine(point))
    out = point_record(point, out.values, *machine);
  out.state = why == Excluded::Infeasible ? PointState::Infeasible : PointState::Cut;
  out.reason = why == Excluded::Infeasible ? std::string(kExcludedNames[at(why)])
                                           : fmt::format("memory-bound, {}", kExcludedNames[at(why)]);
  if (why == Excluded::Infeasible) return out;
  out.energy_pj = least.least_energy_pj, out.cycles = least.least_cycles;
  out.value = out.lower_bound = least.lower_bound;
  return out;
}

std::string SetRows::box_text(const std::vector<u64>& points, std::optional<u64> best) const {
  std::string out = fmt::format("{} {}", parts_.shape(points.front()), best.value_or(kNone));
  for (std::size_t p = 0; p < spec_.parameters.size(); ++p) {
    std::set<std::size_t> values;
    for (const u64 point : points) values.insert(parts_.choice(point, p));
    out += ";";
    for (const std::size_t k : values) out += fmt::format(" {}", k);
  }
  return out;
}

bool SetRows::is_of_set(std::string_view reason) { return reason.find(kSetOfValues) != std::string_view::npos; }

u64 SetRows::machines_of(std::string_view reason) {
  if (!is_of_set(reason)) return 1;
  const std::string_view before = reason.substr(0, reason.find(kSetOfValues) - 1);  // without the space
  return parse_number<u64>(before.substr(before.rfind(' ') + 1)).value_or(1);
}

std::string SetRows::in_larger_grid(const std::string& reason, const std::vector<std::vector<std::size_t>>& places,
                                    const std::function<u64(u64)>& id) {
  const std::size_t begin = reason.find(kSetOfValues) + kSetOfValues.size();
  const std::vector<std::string> fields = split(reason.substr(begin), ';');
  const std::vector<u64> head = numbers_in(fields.front());
  std::string out =
      fmt::format("{}{} {}", reason.substr(0, begin), head.at(0), head.at(1) == kNone ? kNone : id(head.at(1)));
  for (std::size_t p = 0; p < places.size(); ++p) {
    out += ";";
    for (const u64 k : numbers_in(fields.at(p + 1))) out += fmt::format(" {}", places[p].at(k));
  }
  return out;
}

std::optional<SetRows::Box> SetRows::read_box(const std::string& reason) const {
  const std::size_t begin = reason.find(kSetOfValues);
  if (begin == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = split(reason.substr(begin + kSetOfValues.size()), ';');
  if (fields.size() != spec_.parameters.size() + 1) return std::nullopt;
  const std::vector<u64> head = numbers_in(fields.front());
  if (head.size() != 2) return std::nullopt;
  Box out{head[0], head[1], {}};
  for (std::size_t p = 0; p < spec_.parameters.size(); ++p) {
    std::vector<bool>& has = out.values.emplace_back(spec_.parameters[p].values.size());
    for (const u64 k : numbers_in(fields[p + 1])) {
      if (k >= has.size()) return std::nullopt;
      has[k] = true;
    }
  }
  return out;
}

}  // namespace heliolite
