// AccelForge's architectures as machines: its nodes, outermost first, become levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/check.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/accelforge/machine_parts.h"

namespace heliolite::accelforge {
namespace {

constexpr double kPico = 1e12;  // pJ in a J; um2 in a m2

// In a total_latency: one action after the other.
constexpr std::string_view kCalls = "sum(a.n_calls for a in actions)";

// Parts of a way that another has, too: the outermost ones.
std::size_t shared_parts(const MachineParts& a, const MachineParts& b) {
  std::size_t n = 0;
  while (n < a.parts.size() && n < b.parts.size() && a.parts[n].node.value() == b.parts[n].node.value()) ++n;
  return n;
}

// Writes the ways to the compute units as a machine of ours: that of the first is its chain of levels.
class OwnMachineWriter {
 public:
  OwnMachineWriter(std::vector<UnitParts> units, const std::string& name, const EinsumKind& kind)
      : units_(std::move(units)), name_(name), kind_(kind) {
    for (UnitParts& unit : units_) {
      for (std::string& text : unit.way.notes) note(std::move(text));
      out_.action_bits.merge(unit.way.action_bits);
    }
  }

  Result<MachineText> run() {
    MachineParts& first = units_.front().way;
    const MachinePart& compute = first.parts.back();
    for (const UnitParts& unit : units_) check_shared_parts(first, unit.way);
    // A machine of ours has no leakage of compute units.
    for (const UnitParts& unit : units_) first.parts.front().leak += unit.way.compute_leak_watts;
    const double seconds = cycle_of(first);
    const double cycle = kind_.cycle_seconds > 0 ? kind_.cycle_seconds : seconds > 0 ? seconds : 1e-9;
    out_.cycle_seconds = cycle;
    out_.compute_units = static_cast<u64>(first.compute_units);
    note_time(compute, seconds, cycle);
    add_lanes(first, seconds, cycle);
    // Words of a byte, or of a bit where some memory does not hold whole bytes.
    const auto holds_bytes = [](const MachinePart& p) {
      return p.kind != "!Memory" || std::isinf(p.size) || std::fmod(p.size / p.scale, 8) == 0;
    };
    const bool bytes = std::ranges::all_of(
        units_, [&](const UnitParts& unit) { return std::ranges::all_of(unit.way.parts, holds_bytes); });
    const double word = bytes ? 8 : 1;
    choose_unit(word);
    std::string text = fmt::format("architecture:\n  name: {}\n  word_bits: {}\n  drain_reads: on\n  leakage: all\n",
                                   yaml_scalar(name_), word);
    if (first.technology_nm >= 7 && first.technology_nm <= 130)
      text += fmt::format("  technology_nm: {}\n", first.technology_nm);
    if (const double ns = cycle * 1e9; ns >= 1e-3 && ns <= 1e6) text += fmt::format("  cycle_ns: {}\n", ns);
    text += "  levels:\n";
    for (std::size_t i = 0; i + 1 < first.parts.size(); ++i)
      for (const std::string& level : levels(first, i, word, cycle)) text += fmt::format("  - {}\n", level);
    const std::string runs =
        units_.size() > 1 || units_.front().runs != kAllOperations ? runs_text(units_.front()) : "";
    text += fmt::format("  compute: {{name: {}, {}{}}}\n", yaml_scalar(compute.name), compute_price(compute), runs);
    if (units_.size() > 1) text += "  units:\n";
    for (std::size_t k = 1; k < units_.size(); ++k) text += fmt::format("  - {}\n", unit(units_[k], word, cycle));
    if (!errors_.empty()) return errors_;
    out_.text = std::move(text);
    return std::move(out_);
  }

 private:
  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }
  void note(std::string text) {
    if (std::ranges::find(out_.notes, text) == out_.notes.end()) out_.notes.push_back(std::move(text));
  }

  void note_time(const MachinePart& compute, double seconds, double cycle) {
    if (seconds == 0)
      note(fmt::format("{}: no time of a computation is stated; here it takes a cycle of {:g} ns", compute.name,
                       cycle * 1e9));
  }

  // A unit that is faster than a cycle is as many, which share its area.
  static void add_lanes(MachineParts& way, double seconds, double cycle) {
    const double lanes = std::round(cycle / std::max(seconds, cycle * 1e-6));
    if (seconds == 0 || lanes <= 1) return;
    way.parts.back().fanout.push_back({.name = "lanes", .size = static_cast<u64>(lanes), .constraint = {}});
    way.parts.back().area /= lanes;
  }

  static std::string runs_text(const UnitParts& unit) {
    return fmt::format(", runs: [{}]", fmt::join(operation_names(unit.runs), ", "));
  }

  // A further unit, with the levels between it and the last that the first unit's way has, too.
  std::string unit(UnitParts& of, double word, double cycle) {
    MachineParts& way = of.way;
    const MachineParts& first = units_.front().way;
    const std::size_t shared = shared_parts(first, way);
    if (shared == 0) {
      complain(way.parts.front().node,
               fmt::format("{} has an outermost memory of its own, which has no counterpart", way.parts.back().name));
      return "";
    }
    const MachinePart& compute = way.parts.back();
    const double seconds = cycle_of(way);
    note_time(compute, seconds, cycle);
    const double cycles = seconds > cycle ? std::round(seconds / cycle) : 1;
    const double ratio = seconds > cycle ? seconds / cycle : seconds > 0 ? cycle / seconds : 1;
    if (std::abs(ratio - std::round(ratio)) > 1e-6 * ratio || cycles > static_cast<double>(kMaxCyclesOfOperation))
      complain(compute.node,
               fmt::format("{}: a computation takes {:g} ns, and one of {} {:g}: the longer one must be up "
                           "to {} times the other, a whole number",
                           compute.name, seconds * 1e9, first.parts.back().name, cycle * 1e9, kMaxCyclesOfOperation));
    add_lanes(way, seconds, cycle);
    const std::string& below = way.parts[shared - 1].name;
    std::string out =
        fmt::format("{{name: {}, below: {}, {}", yaml_scalar(compute.name), yaml_scalar(below), compute_price(compute));
    if (cycles > 1) out += fmt::format(", cycles_per_op: {}", cycles);
    out += runs_text(of);
    // Two axes a fan-out: what is more stands below levels of the unit's own.
    const std::vector<FanoutAxis>& feed = way.parts[shared].fanout;
    const std::size_t here = std::min<std::size_t>(feed.size(), 2);
    out += fanout_text(std::span(feed).subspan(0, here));
    std::vector<std::string> own = further_axes(compute.name, feed);
    for (std::size_t i = shared; i + 1 < way.parts.size(); ++i)
      for (std::string& level : levels(way, i, word, cycle)) own.push_back(std::move(level));
    if (!own.empty()) out += fmt::format(", levels: [{}]", fmt::join(own, ", "));
    return out + "}";
  }

  // Memories that two ways have are read for Einsums of three tensors and for those of two.
  void check_shared_parts(const MachineParts& first, const MachineParts& way) {
    for (std::size_t i = 0; i < shared_parts(first, way); ++i)
      if (!same_part(first.parts[i], way.parts[i]))
        complain(way.parts[i].node,
                 fmt::format("{} is one for the Einsums that {} runs and another for those of {}, which has no "
                             "counterpart",
                             way.parts[i].name, first.parts.back().name, way.parts.back().name));
  }

  // Whether a memory that is read for Einsums of three tensors and for those of two is one, but for weights.
  static bool same_part(const MachinePart& a, const MachinePart& b) {
    const auto without_weights = [](NameSet set) { return set.erase("weight"), set; };
    const auto same_actions = [](const auto& x, const auto& y) {
      return x.first == y.first && x.second.energy == y.second.energy && x.second.throughput == y.second.throughput &&
             x.second.bits == y.second.bits;
    };
    const auto same_axes = [](const FanoutAxis& x, const FanoutAxis& y) {
      return x.name == y.name && x.size == y.size;
    };
    return a.size == b.size && a.area == b.area && a.leak == b.leak && a.scale == b.scale &&
           a.total_latency == b.total_latency && std::ranges::equal(a.actions, b.actions, same_actions) &&
           std::ranges::equal(a.fanout, b.fanout, same_axes) && without_weights(a.keep) == without_weights(b.keep) &&
           without_weights(a.may_keep) == without_weights(b.may_keep);
  }

  // Bits per second of a memory, "" without a limit; `cycle` in s, words of `word` bits.
  std::string bandwidth(const MachineParts& way, const MachinePart& p, double cycle, double word) {
    const auto rate = [&](const char* name) {
      const auto it = p.actions.find(name);
      return it == p.actions.end() ? kNoLimit : it->second.throughput * it->second.bits;
    };
    const auto words = [&](double bits_per_second) { return bits_per_second * cycle / (word * p.scale); };
    const auto entry = [&](const char* name, double bits_per_second) {
      const double value = words(bits_per_second);
      // Seconds of a cycle and bits of a second are rounded: a whole number of words is one.
      return value > kMaxBandwidth ? "" : fmt::format("{}: {:.12g}", name, std::max(value, kMinBandwidth));
    };
    double read = rate("read"), write = rate("write");
    bool together = true;
    if (!p.total_latency.empty()) {
      static const std::string kPorts = "max(a.n_calls / a.throughput for a in actions)";
      const std::size_t at = p.total_latency.find(kCalls);
      if (p.total_latency == kPorts) {
        together = false;
      } else if (at != std::string::npos) {
        std::string one = p.total_latency;
        const Result<double> seconds = evaluate_number(one.replace(at, kCalls.size(), "1"), way.scope);
        const auto bits = [&](const char* name) {
          const auto it = p.actions.find(name);
          return it == p.actions.end() ? 1.0 : it->second.bits;
        };
        if (!seconds || *seconds <= 0 || bits("read") != bits("write")) return refuse_latency(p);
        read = write = bits("read") / *seconds;
      } else if (const Result<double> fixed = evaluate_number(p.total_latency, way.scope); fixed && *fixed == 0) {
        read = write = kNoLimit;
      } else {
        return refuse_latency(p);
      }
    }
    if (together && read == write) {
      const std::string shared = entry("shared", read);
      return shared.empty() ? "" : fmt::format(", bandwidth: {{{}}}", shared);
    }
    if (together && read != kNoLimit && write != kNoLimit)
      note(fmt::format(
          "{}: reads and writes of different rates: here they go on side by side, there one after the other", p.name));
    std::vector<std::string> both{entry("read", read), entry("write", write)};
    std::erase(both, "");
    return both.empty() ? "" : fmt::format(", bandwidth: {{{}}}", fmt::join(both, ", "));
  }
  std::string refuse_latency(const MachinePart& p) {
    const auto node = p.node.find("total_latency");
    complain(
        node ? *node : p.node,
        fmt::format("'{}' has no counterpart: understood are sum(a.n_calls for a in actions) / RATE, max(a.n_calls "
                    "/ a.throughput for a in actions) and the default",
                    shortened(p.total_latency)));
    return "";
  }

  // Seconds of a computation; 0: it takes none.
  double cycle_of(const MachineParts& way) {
    const MachinePart& compute = way.parts.back();
    if (compute.total_latency.empty()) {
      const double rate = compute.actions.at("compute").throughput;
      return rate == kNoLimit ? 0 : 1 / rate;
    }
    std::string one = compute.total_latency;
    const std::size_t at = one.find(kCalls);
    if (at != std::string::npos) one.replace(at, kCalls.size(), "1");
    const Result<double> seconds = evaluate_number(one, way.scope);
    if (seconds && *seconds >= 0 && (at != std::string::npos || *seconds == 0)) return *seconds;
    refuse_latency(compute);
    return 0;
  }

  std::string joules(double value) const { return fmt::format("{}", value / out_.joules_per_pj); }

  // Whole joules for a bit are a unit of the file's own, to count accesses with: they are read as pJ.
  void choose_unit(double word) {
    double most = 0;
    for (const UnitParts& unit : units_)
      for (const MachinePart& p : unit.way.parts)
        for (const auto& [_, a] : p.actions) most = std::max(most, a.energy / a.bits * word * p.scale);
    if (most * kPico <= kMaxAccessPicojoules) return;
    out_.joules_per_pj = 1;
    note(fmt::format("energies up to {:g} J for a word: each J is read as a pJ", most));
  }

  std::string prices_text(const MachinePart& p, double word, double cycle) const {
    if (p.table) return ", energy: table";
    const auto of = [&](const char* name) {
      const PartAction& a = p.actions.at(name);
      return a.energy / a.bits * word * p.scale;
    };
    std::string out = fmt::format(", energy: {{read: {}, write: {}}}", joules(of("read")), joules(of("write")));
    if (p.leak > 0) out += fmt::format(", leak_pj_per_cycle: {}", joules(p.leak * cycle));
    if (p.area > 0) out += fmt::format(", area_um2: {}", p.area * kPico);
    return out;
  }

  std::string keep_text(const MachinePart& p) const {
    std::vector<std::string> keep, open, bypass;
    for (const auto& [role, ours] : roles())
      (p.keep.contains(role) ? keep : p.may_keep.contains(role) ? open : bypass).push_back(ours);
    const auto list = [](const char* key, const std::vector<std::string>& names) {
      return names.empty() ? "" : fmt::format(", {}: [{}]", key, fmt::join(names, ", "));
    };
    if (keep.size() == roles().size()) return "";
    if (keep.empty() && open.empty()) return ", bypass: all";
    return list("keep", keep) + (keep.empty() ? ", keep: []" : "") + list("open", open);
  }

  // The fan-out below a level, with what may go to its axes.
  std::string fanout_text(std::span<const FanoutAxis> dimensions) const {
    std::string out, constraints;
    constexpr const char* kAxes[] = {"x", "y"};
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", kAxes[i], dimensions[i].size);
      if (dimensions[i].constrained)
        constraints += fmt::format("{}allowed_{}: [{}]", constraints.empty() ? "" : ", ", kAxes[i],
                                   fmt::join(dimensions[i].constraint, ", "));
    }
    if (out.empty()) return "";
    if (!constraints.empty()) constraints = fmt::format(", constraints: {{spatial: {{{}}}}}", constraints);
    return fmt::format(", fanout: {{{}}}{}", out, constraints);
  }

  std::string compute_price(const MachinePart& compute) const {
    const std::string area = compute.area > 0 ? fmt::format(", area_um2: {}", compute.area * kPico) : "";
    if (compute.table) return "energy: table" + area;
    return fmt::format("energy: {}{}", joules(compute.actions.at("compute").energy), area);
  }

  // Part `i` of a way as a level, with those that only add axes to its fan-out.
  std::vector<std::string> levels(const MachineParts& way, std::size_t i, double word, double cycle) {
    const MachinePart& p = way.parts[i];
    std::string out = fmt::format("{{name: {}", yaml_scalar(p.name));
    if (p.kind == "!Toll") {
      if (p.keep != way.scope.all && p.may_keep != way.scope.all)
        complain(p.node, "a !Toll of some tensors has no counterpart: all pass");
      const std::vector<std::string> ways{"up", "down", "up_and_down"};
      if (std::ranges::find(ways, p.direction) == ways.end())
        complain(p.node, fmt::format("direction = {}, must be {}", shortened(p.direction), join(ways, "or")));
      const double price = p.actions.at("read").energy / p.actions.at("read").bits * word * p.scale;
      out += fmt::format(", interconnect: true, energy: {{read: {}, write: {}}}",
                         joules(p.direction == "up" ? 0 : price), joules(p.direction == "down" ? 0 : price));
      if (p.leak > 0) out += fmt::format(", leak_pj_per_cycle: {}", joules(p.leak * cycle));
    } else {
      const bool dram = p.table && lower(*p.component_class).find("ddr") != std::string::npos;
      const double words = std::floor(p.size / p.scale / word);
      if (dram) out += fmt::format(", dram: {}, reduction: true", *p.component_class);
      if (std::isinf(p.size)) out += dram ? "" : ", capacity: unbounded";
      else out += fmt::format(", entries: {:.0f}", std::clamp(words, 1.0, static_cast<double>(kMaxEntries)));
      out += prices_text(p, word, cycle);
      out += words < 1 ? ", bypass: all" : i == 0 ? "" : keep_text(p);
    }
    out += bandwidth(way, p, cycle, word);
    const std::vector<FanoutAxis>& below = way.parts[i + 1].fanout;
    const std::size_t here = std::min<std::size_t>(below.size(), 2);
    out += fanout_text(std::span(below).subspan(0, here)) + "}";
    std::vector<std::string> all{std::move(out)};
    for (std::string& more : further_axes(p.name, below)) all.push_back(std::move(more));
    return all;
  }

  // Two axes a fan-out: further dimensions stand below levels that hold nothing.
  std::vector<std::string> further_axes(const std::string& level, const std::vector<FanoutAxis>& axes) const {
    std::vector<std::string> out;
    for (std::size_t at = 2; at < axes.size(); at += 2) {
      const std::string name = fmt::format("{}_{}", level, axes[at].name);
      out.push_back(fmt::format("{{name: {}, entries: 1, energy: 0, loops: false, bypass: all{}}}", yaml_scalar(name),
                                fanout_text(std::span(axes).subspan(at, std::min<std::size_t>(axes.size() - at, 2)))));
    }
    return out;
  }

  std::vector<UnitParts> units_;
  const std::string& name_;
  const EinsumKind& kind_;
  Diagnostics errors_;
  MachineText out_;
};

}  // namespace

Result<MachineText> machine_text(const YamlNode& root, const std::string& name, const EinsumKind& kind,
                                 const ActionPrices& prices) {
  Result<std::vector<UnitParts>> units = read_unit_parts(root, kind, prices);
  if (!units) return units.errors();
  return OwnMachineWriter(*std::move(units), name, kind).run();
}

EinsumKind einsum_kind(const WordBits& sizes) {
  EinsumKind kind;
  kind.every_unit = true;
  for (const TensorBits& size : sizes.given)
    for (const auto& [role, ours] : roles())
      if (size.tensors == "all" || size.tensors == role || size.tensors == ours)
        kind.bits[role] = size.bits, kind.assumed = false;
  return kind;
}

}  // namespace heliolite::accelforge
