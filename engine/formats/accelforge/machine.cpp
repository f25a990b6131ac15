#include "engine/formats/accelforge/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/limits.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/machine_parts.h"

namespace heliolite::accelforge {
namespace {

constexpr double kPico = 1e12;  // pJ in a J; um2 in a m2

// In a total_latency: one action after the other.
constexpr std::string_view kCalls = "sum(a.n_calls for a in actions)";

// Writes the parts as a machine of ours.
class OwnMachineWriter {
 public:
  OwnMachineWriter(MachineParts parts, const std::string& name, const EinsumKind& kind)
      : read_(std::move(parts)), name_(name), kind_(kind) {
    out_.notes = std::move(read_.notes);
    out_.action_bits = std::move(read_.action_bits);
  }

  Result<MachineText> run() {
    const MachinePart& compute = read_.parts.back();
    read_.parts.front().leak += read_.compute_leak_watts;  // a machine of ours has no leakage of compute units
    const double seconds = cycle_of(compute);
    const double cycle = kind_.cycle_seconds > 0 ? kind_.cycle_seconds : seconds > 0 ? seconds : 1e-9;
    out_.cycle_seconds = cycle;
    out_.compute_units = static_cast<u64>(read_.compute_units);
    if (seconds == 0)
      note(fmt::format("{}: no time of a computation is stated; here it takes a cycle of {:g} ns", compute.name,
                       cycle * 1e9));
    if (const double lanes = std::round(cycle / std::max(seconds, cycle * 1e-6)); seconds > 0 && lanes > 1)
      read_.parts.back().fanout.push_back({.name = "lanes", .size = static_cast<u64>(lanes), .constraint = {}});
    // Words of a byte, or of a bit where some memory does not hold whole bytes.
    const bool bytes = std::ranges::all_of(read_.parts, [](const MachinePart& p) {
      return p.kind != "!Memory" || std::isinf(p.size) || std::fmod(p.size / p.scale, 8) == 0;
    });
    const double word = bytes ? 8 : 1;
    choose_unit(word);
    std::string text = fmt::format("architecture:\n  name: {}\n  word_bits: {}\n  drain_reads: on\n  leakage: all\n",
                                   yaml_scalar(name_), word);
    if (read_.technology_nm >= 7 && read_.technology_nm <= 130)
      text += fmt::format("  technology_nm: {}\n", read_.technology_nm);
    if (const double ns = cycle * 1e9; ns >= 1e-3 && ns <= 1e6) text += fmt::format("  cycle_ns: {}\n", ns);
    text += "  levels:\n";
    for (std::size_t i = 0; i + 1 < read_.parts.size(); ++i) text += level(i, word, cycle);
    text += fmt::format("  compute: {{name: {}, {}{}}}\n", yaml_scalar(compute.name), compute_price(compute),
                        compute.area > 0 ? fmt::format(", area_um2: {}", compute.area * kPico) : "");
    if (!errors_.empty()) return errors_;
    out_.text = std::move(text);
    return std::move(out_);
  }

 private:
  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }
  void note(std::string text) {
    if (std::ranges::find(out_.notes, text) == out_.notes.end()) out_.notes.push_back(std::move(text));
  }

  // Bits per second of a memory, "" without a limit; `cycle` in s, words of `word` bits.
  std::string bandwidth(const MachinePart& p, double cycle, double word) {
    const auto rate = [&](const char* name) {
      const auto it = p.actions.find(name);
      return it == p.actions.end() ? kNoLimit : it->second.throughput * it->second.bits;
    };
    const auto words = [&](double bits_per_second) { return bits_per_second * cycle / (word * p.scale); };
    const auto entry = [&](const char* name, double bits_per_second) {
      const double value = words(bits_per_second);
      return value > kMaxBandwidth ? "" : fmt::format("{}: {}", name, std::max(value, kMinBandwidth));
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
        const Result<double> seconds = evaluate_number(one.replace(at, kCalls.size(), "1"), read_.scope);
        const auto bits = [&](const char* name) {
          const auto it = p.actions.find(name);
          return it == p.actions.end() ? 1.0 : it->second.bits;
        };
        if (!seconds || *seconds <= 0 || bits("read") != bits("write")) return refuse_latency(p);
        read = write = bits("read") / *seconds;
      } else if (const Result<double> fixed = evaluate_number(p.total_latency, read_.scope); fixed && *fixed == 0) {
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
  double cycle_of(const MachinePart& compute) {
    if (compute.total_latency.empty()) {
      const double rate = compute.actions.at("compute").throughput;
      return rate == kNoLimit ? 0 : 1 / rate;
    }
    std::string one = compute.total_latency;
    const std::size_t at = one.find(kCalls);
    if (at != std::string::npos) one.replace(at, kCalls.size(), "1");
    const Result<double> seconds = evaluate_number(one, read_.scope);
    if (seconds && *seconds >= 0 && (at != std::string::npos || *seconds == 0)) return *seconds;
    refuse_latency(compute);
    return 0;
  }

  std::string joules(double value) const { return fmt::format("{}", value / out_.joules_per_pj); }

  // Whole joules for a bit are a unit of the file's own, to count accesses with: they are read as pJ.
  void choose_unit(double word) {
    double most = 0;
    for (const MachinePart& p : read_.parts)
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
  std::string fanout_text(const std::string& level, std::span<const FanoutAxis> dimensions) {
    std::string out, constraints;
    constexpr const char* kAxes[] = {"x", "y"};
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", kAxes[i], dimensions[i].size);
      out_.fanouts[dimensions[i].name] = fmt::format("{}.{}", level, kAxes[i]);
      if (dimensions[i].constrained)
        constraints += fmt::format("{}allowed_{}: [{}]", constraints.empty() ? "" : ", ", kAxes[i],
                                   fmt::join(dimensions[i].constraint, ", "));
    }
    if (out.empty()) return "";
    if (!constraints.empty()) constraints = fmt::format(", constraints: {{spatial: {{{}}}}}", constraints);
    return fmt::format(", fanout: {{{}}}{}", out, constraints);
  }

  std::string compute_price(const MachinePart& compute) const {
    if (compute.table) return "energy: table";
    const PartAction& a = compute.actions.at("compute");
    return fmt::format("energy: {}", joules(a.energy));
  }

  std::string level(std::size_t i, double word, double cycle) {
    const MachinePart& p = read_.parts[i];
    const std::vector<FanoutAxis>& below = read_.parts[i + 1].fanout;
    std::string out = fmt::format("  - {{name: {}", yaml_scalar(p.name));
    if (p.kind == "!Toll") {
      if (p.keep != read_.scope.all && p.may_keep != read_.scope.all)
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
    out += bandwidth(p, cycle, word);
    // Two axes a fan-out: further dimensions stand below a level that holds nothing.
    const std::size_t here = std::min<std::size_t>(below.size(), 2);
    out += fanout_text(p.name, std::span(below).subspan(0, here)) + "}\n";
    for (std::size_t at = here; at < below.size(); at += 2) {
      const std::string name = fmt::format("{}_{}", p.name, below[at].name);
      out += fmt::format("  - {{name: {}, entries: 1, energy: 0, loops: false, bypass: all{}}}\n", yaml_scalar(name),
                         fanout_text(name, std::span(below).subspan(at, std::min<std::size_t>(below.size() - at, 2))));
    }
    return out;
  }

  MachineParts read_;
  const std::string& name_;
  const EinsumKind& kind_;
  Diagnostics errors_;
  MachineText out_;
};

}  // namespace

Result<MachineText> machine_text(const YamlNode& root, const std::string& name, const EinsumKind& kind,
                                 const ActionPrices& prices) {
  Result<MachineParts> parts = read_machine_parts(root, kind, prices);
  if (!parts) return parts.errors();
  return OwnMachineWriter(*std::move(parts), name, kind).run();
}

EinsumKind einsum_kind(const WordBits& sizes) {
  EinsumKind kind;
  for (const TensorBits& size : sizes.given)
    for (const auto& [role, ours] : roles())
      if (size.tensors == "all" || size.tensors == role || size.tensors == ours)
        kind.bits[role] = size.bits, kind.assumed = false;
  return kind;
}

}  // namespace heliolite::accelforge
