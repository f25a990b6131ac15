#include "engine/formats/accelforge/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "arch/limits.h"
#include "engine/base/integers.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"

namespace heliolite::accelforge {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kPico = 1e12;  // pJ in a J; um2 in a m2
constexpr std::size_t kMaxNodes = 100;
constexpr double kMaxFanoutSize = 1 << 20;

// One dimension of a fan-out.
struct FanoutAxis {
  std::string name;
  u64 size = 1;
  std::vector<std::string> constraint;  // what may go there: selectors of dimensions; none: all
  bool constrained = false;
};

struct Action {
  double energy = 0, throughput = kInfinite, bits = 1;
  bool has_energy = false;
};

// A node of the chain from the outermost memory to the compute unit.
struct Part {
  YamlNode node;
  std::string name, kind;          // "!Memory"
  std::vector<FanoutAxis> fanout;  // above it
  std::map<std::string, Action> actions;
  std::optional<std::string> component_class;
  double size = kInfinite, leak = 0, area = 0, scale = 1;  // of its values' bits
  bool has_leak = false, has_area = false, table = false;
  NameSet keep, may_keep;
  std::string total_latency, direction;
};

const std::vector<std::pair<std::string, std::string>>& roles() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"input", "inputs"}, {"weight", "weights"}, {"output", "outputs"}};
  return names;
}

class MachineReader {
 public:
  MachineReader(const YamlNode& root, const std::string& name, const EinsumKind& kind, const ActionPrices& prices)
      : root_(root), name_(name), kind_(kind), prices_(prices) {
    for (const auto& [role, bits] : kind.bits) {
      scope_.all.insert(role);
      scope_.names[role] = NameSet{role};
      scope_.names[role + ".bits_per_value"] = static_cast<double>(bits);
    }
    for (const auto& [role, _] : roles())
      if (!kind.bits.contains(role)) scope_.names[role] = NameSet{};
    scope_.names["All"] = scope_.all;
    scope_.names["Nothing"] = NameSet{};
    scope_.names["Intermediates"] = NameSet{};
    NameSet inputs = scope_.all;
    inputs.erase("output");
    scope_.names["Inputs"] = inputs;
    scope_.names["Outputs"] = kind.bits.contains("output") ? NameSet{"output"} : NameSet{};
  }

  Result<MachineText> run() {
    const auto arch = root_.find("arch");
    if (!arch || !arch->is_map()) return root_.error("has no map 'arch'");
    MapReader reader(*arch, errors_);
    const auto nodes = reader.required_child("nodes");
    const auto extra = reader.child("extra_attributes_for_all_component_models");
    for (const char* key : {"name", "version", "variables"}) reader.ignore(key);
    reader.finish();
    if (!nodes) return errors_;
    if (extra)
      if (const auto node = extra->find("tech_node")) technology_ = number(*node).value_or(0) * 1e9;
    std::vector<YamlNode> leaves;
    if (const auto compute = find_compute(*nodes)) chain(*nodes, *compute, leaves);
    else if (errors_.empty())
      errors_.push_back(
          nodes->error("has no !Compute for Einsums of " + std::to_string(kind_.bits.size()) + " tensors"));
    for (const YamlNode& leaf : leaves) part(leaf);
    if (errors_.empty() && (parts_.empty() || parts_.front().kind != "!Memory"))
      errors_.push_back(nodes->error("the first node must be a !Memory, which backs all tensors"));
    if (errors_.empty() && !parts_.front().fanout.empty())
      errors_.push_back(
          parts_.front().node.error("the outermost memory has several instances, which has no counterpart"));
    if (!errors_.empty()) return errors_;
    return written();
  }

 private:
  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }
  void note(std::string text) {
    if (std::ranges::find(out_.notes, text) == out_.notes.end()) out_.notes.push_back(std::move(text));
  }

  std::optional<double> number(const YamlNode& node) {
    const std::string& text = node.text();
    if (kind_.assumed && text.find(".bits_per_value") != std::string::npos)
      note(fmt::format("{} = {} is taken for values of {} bits; --word-bits says others", node.field(), text,
                       bits_text()));
    const Result<double> value = evaluate_number(text, scope_);
    if (value) return *value;
    complain(node, fmt::format("'{}': {}", shortened(text), value.errors().front().message));
    return std::nullopt;
  }
  std::string bits_text() const {
    std::vector<std::string> texts;
    for (const auto& [_, bits] : kind_.bits)
      if (const std::string text = std::to_string(bits); std::ranges::find(texts, text) == texts.end())
        texts.push_back(text);
    return join(texts);
  }
  std::optional<double> at_least(const YamlNode& node, double low) {
    const std::optional<double> value = number(node);
    if (!value || *value >= low) return value;
    complain(node, fmt::format("{}, must be at least {}", shortened(node.text()), low));
    return std::nullopt;
  }
  std::optional<NameSet> set_of(const YamlNode& node) {
    const Result<NameSet> set = evaluate_set(node.text(), scope_);
    if (set) return *set;
    complain(node, fmt::format("'{}': {}", shortened(node.text()), set.errors().front().message));
    return std::nullopt;
  }

  bool enabled(const YamlNode& node) {
    const auto text = node.find("enabled");
    if (!text) return true;
    const Result<ExpressionValue> value = evaluate_expression(text->text(), scope_);
    if (!value) {
      complain(*text, value.errors().front().message);
      return false;
    }
    const auto* set = std::get_if<NameSet>(&*value);
    return set != nullptr ? !set->empty() : std::get<double>(*value) != 0;
  }

  static bool is_branch(const YamlNode& node) { return node.tag() == "!Fork" || node.tag() == "!Hierarchical"; }

  // The compute unit of the Einsum: the only one that is enabled, or the last.
  std::optional<YamlNode> find_compute(const YamlNode& nodes, int depth = 0) {
    std::optional<YamlNode> found;
    if (depth > 16) complain(nodes, "nested deeper than 16 branches");
    if (depth > 16) return found;
    for (const YamlNode& node : elements(nodes)) {
      std::optional<YamlNode> one;
      if (is_branch(node)) {
        if (const auto inner = node.find("nodes")) one = find_compute(*inner, depth + 1);
      } else if (node.tag() == "!Compute") {
        if (enabled(node)) one = node;
        else left_out(node);
      }
      if (one && found) left_out(*found);
      if (one) found = one;
    }
    return found;
  }
  void left_out(const YamlNode& node) {
    const auto name = node.find("name");
    note(fmt::format("{} is left out: Einsums of {} tensors run elsewhere", name ? name->text() : "a !Compute",
                     kind_.bits.size()));
  }

  // Nodes on the way to the compute unit. True: it is among them.
  bool chain(const YamlNode& nodes, const YamlNode& compute, std::vector<YamlNode>& out) {
    for (const YamlNode& node : elements(nodes)) {
      if (is_branch(node)) {
        std::vector<YamlNode> inner;
        const auto list = node.find("nodes");
        const bool here = list && chain(*list, compute, inner);
        if (here || node.tag() == "!Hierarchical") out.insert(out.end(), inner.begin(), inner.end());
        if (here) return true;
        continue;
      }
      if (node.tag() == "!Compute") {
        if (node.value() != compute.value()) continue;
        out.push_back(node);
        return true;
      }
      out.push_back(node);
      if (out.size() > kMaxNodes) {
        complain(node, fmt::format("more than {} nodes", kMaxNodes));
        return true;
      }
    }
    return false;
  }

  void part(const YamlNode& node) {
    Part p{.node = node,
           .name = {},
           .kind = node.tag(),
           .fanout = {},
           .actions = {},
           .component_class = {},
           .keep = {},
           .may_keep = {},
           .total_latency = {},
           .direction = {}};
    const std::vector<std::string> known{"!Memory", "!Toll", "!Compute", "!Container"};
    if (std::ranges::find(known, p.kind) == known.end())
      return complain(node, fmt::format("node {} has no counterpart: understood are {}, !Fork and !Hierarchical",
                                        p.kind.empty() ? "without a tag" : p.kind, join(known)));
    MapReader reader(node, errors_);
    p.name = reader.required_string("name").value_or("");
    if (const auto spatial = reader.child("spatial"))
      for (const YamlNode& dimension : elements(spatial)) pending_.push_back(dimension_of(dimension));
    if (p.kind == "!Container") {
      reader.finish();
      return;
    }
    p.fanout = std::exchange(pending_, {});
    p.component_class = reader.string("component_class");
    double energy_scale = 1;
    const auto scaled = [&](const char* key, double& value) {
      if (const auto child = reader.child(key)) value = at_least(*child, 0).value_or(1);
    };
    double area_scale = 1, leak_scale = 1, latency_scale = 1, parallel = 1;
    scaled("energy_scale", energy_scale);
    scaled("area_scale", area_scale);
    scaled("leak_power_scale", leak_scale);
    scaled("latency_scale", latency_scale);
    scaled("n_parallel_instances", parallel);
    if (parallel != 1)
      complain(node, "n_parallel_instances other than 1 has no counterpart: state the rates themselves");
    if (const auto leak = reader.child("leak_power")) p.leak = at_least(*leak, 0).value_or(0), p.has_leak = true;
    if (const auto area = reader.child("area")) p.area = at_least(*area, 0).value_or(0), p.has_area = true;
    p.leak *= leak_scale;
    p.area *= area_scale;
    p.total_latency = reader.string("total_latency").value_or("");
    reader.ignore("enabled");
    reader.ignore("extra_attributes_for_component_model");
    std::optional<double> common_bits;
    if (const auto bits = reader.child("bits_per_action")) common_bits = at_least(*bits, 1e-9);
    if (const auto actions = reader.child("actions"))
      for (const YamlNode& action : elements(actions)) add_action(action, energy_scale, latency_scale, common_bits, p);
    if (p.kind == "!Memory") {
      if (const auto size = reader.required_child("size")) p.size = at_least(*size, 0).value_or(0);
    }
    if (p.kind == "!Toll") p.direction = reader.string("direction").value_or("up_and_down");
    if (p.kind != "!Compute") {
      tensors(reader.child("tensors"), p);
      if (const auto bits = reader.child("bits_per_value")) values(*bits, p);
    }
    reader.finish();
    for (auto& [key, bits] : out_.action_bits)
      if (key.first == p.name) bits /= p.scale;
    settle_prices(p);
    parts_.push_back(std::move(p));
  }

  void add_action(const YamlNode& node, double energy_scale, double latency_scale, std::optional<double> common_bits,
                  Part& p) {
    MapReader reader(node, errors_);
    const std::string name = reader.required_string("name").value_or("");
    const bool compute = p.kind == "!Compute";
    if (compute ? name != "compute" : name != "read" && name != "write")
      complain(node, fmt::format("action '{}' has no counterpart: understood {}", shortened(name),
                                 compute ? "is compute" : "are read and write"));
    Action a;
    a.bits = common_bits.value_or(1);
    if (const auto bits = reader.child("bits_per_action")) a.bits = at_least(*bits, 1e-9).value_or(1);
    if (const auto energy = reader.child("energy")) a.energy = at_least(*energy, 0).value_or(0), a.has_energy = true;
    if (const auto scale = reader.child("energy_scale")) a.energy *= at_least(*scale, 0).value_or(1);
    a.energy *= energy_scale;
    const auto throughput = reader.child("throughput"), latency = reader.child("latency");
    if (throughput) a.throughput = at_least(*throughput, 1e-30).value_or(1);
    if (latency) {
      const double seconds = at_least(*latency, 0).value_or(0);
      a.throughput = seconds == 0 ? kInfinite : 1 / seconds;
    }
    if (latency && throughput) complain(node, "has a latency and a throughput: one of them");
    double scale = latency_scale;
    if (const auto own = reader.child("latency_scale")) scale *= at_least(*own, 1e-30).value_or(1);
    a.throughput /= scale == 0 ? 1 : scale;
    reader.ignore("extra_attributes_for_component_model");
    reader.finish();
    p.actions[name] = a;
    out_.action_bits[{p.name, name}] = a.bits;
  }

  void tensors(const std::optional<YamlNode>& node, Part& p) {
    p.may_keep = scope_.all;
    if (node) {
      MapReader reader(*node, errors_);
      const auto keep = reader.child("keep"), may = reader.child("may_keep");
      if (keep) p.keep = set_of(*keep).value_or(NameSet{});
      p.may_keep = may ? set_of(*may).value_or(NameSet{}) : keep ? NameSet{} : scope_.all;
      reader.finish();
    }
    scope_.names[p.name] = p.keep;
    scope_.names[p.name + ".tensors"] = p.keep;
  }

  // {output: 3 * output.bits_per_value}: how many bits a value has here, by what it has elsewhere.
  void values(const YamlNode& node, Part& p) {
    if (!node.is_map()) return complain(node, "must be a map of tensors and bits");
    NameSet kept = p.keep;
    kept.insert(p.may_keep.begin(), p.may_keep.end());
    std::optional<double> factor;
    for (const std::string& role : kept) {
      double mine = 1;
      for (const std::string& key : node.keys()) {
        const Result<NameSet> set = evaluate_set(key, scope_);
        if (!set) return complain(*node.find(key), set.errors().front().message);
        if (!set->contains(role)) continue;
        const std::optional<double> bits = at_least(*node.find(key), 1e-9);
        if (!bits) return;
        mine = *bits / static_cast<double>(kind_.bits.at(role));
      }
      if (factor && *factor != mine)
        return complain(node, "sizes that differ from the workload's by different factors have no counterpart");
      factor = mine;
    }
    p.scale = factor.value_or(1);
  }

  FanoutAxis dimension_of(const YamlNode& node) {
    FanoutAxis d;
    MapReader reader(node, errors_);
    d.name = reader.required_string("name").value_or("");
    if (const auto fanout = reader.required_child("fanout")) {
      const double size = at_least(*fanout, 1).value_or(1);
      if (size != std::floor(size) || size > kMaxFanoutSize)
        complain(*fanout,
                 fmt::format("{}, must be an integer from 1 to {}", shortened(fanout->text()), kMaxFanoutSize));
      else d.size = static_cast<u64>(size);
    }
    if (const auto reuse = reader.child("reuse")) {
      const NameSet set = set_of(*reuse).value_or(NameSet{});
      std::vector<std::string> names;
      for (const auto& [role, ours] : roles())
        if (set.contains(role)) names.push_back(ours);
      if (!names.empty()) d.constrained = true, d.constraint = {fmt::format("other_dims({})", fmt::join(names, "+"))};
    }
    if (const auto may = reader.child("may_reuse"))
      if (set_of(*may).value_or(NameSet{}) != scope_.all)
        note(fmt::format("{}: may_reuse: {}: here a word that several units need is read once", d.name, may->text()));
    if (const auto usage = reader.child("min_usage"))
      if (number(*usage).value_or(0) > 0)
        note(fmt::format("{}: min_usage: {}: here mappings may use fewer units", d.name, usage->text()));
    if (const auto bounds = reader.child("loop_bounds"))
      for (const YamlNode& bound : elements(bounds)) loop_bound(bound, d);
    if (const auto gate = reader.child("power_gateable"))
      if (number(*gate).value_or(0) != 0) complain(*gate, "power gating has no counterpart");
    if (const auto scale = reader.child("usage_scale"))
      if (number(*scale).value_or(1) != 1) complain(*scale, "has no counterpart");
    reader.finish();
    return d;
  }

  // {expression: ~m, operator: ==, value: 1}: only m may go there.
  void loop_bound(const YamlNode& node, FanoutAxis& d) {
    MapReader reader(node, errors_);
    const std::string text = reader.required_string("expression").value_or("");
    const std::string op = reader.required_string("operator").value_or("");
    const auto value = reader.required_child("value");
    reader.finish();
    if (!value) return;
    std::string_view inner = trim(text);
    const bool others = inner.starts_with('~');
    if (others) inner = trim(inner.substr(1));
    if (inner.starts_with('(') && inner.ends_with(')')) inner = inner.substr(1, inner.size() - 2);
    std::vector<std::string> names = split(inner, '|');
    const bool plain = std::ranges::all_of(names, [](const std::string& name) {
      return !name.empty() && std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    });
    const bool one = number(*value).value_or(0) == 1 && (op == "==" || op == "<=");
    if (!others || !plain || !one || names.empty() || d.constrained)
      return complain(node, fmt::format("'{} {} {}' has no counterpart: understood is ~m == 1, of the rank variables "
                                        "that may go there",
                                        shortened(text), op, value->text()));
    d.constrained = true;
    d.constraint = std::move(names);
  }

  // Prices that are given, stated, nothing, or of our tables.
  void settle_prices(Part& p) {
    const std::vector<std::string> needed = p.kind == "!Compute" ? std::vector<std::string>{"compute"}
                                            : p.kind == "!Toll"  ? std::vector<std::string>{"read"}
                                                                 : std::vector<std::string>{"read", "write"};
    const bool dummy = p.component_class && lower(*p.component_class) == "dummy";
    std::vector<std::string> missing;
    for (const std::string& name : needed) {
      Action& a = p.actions[name];
      if (a.has_energy || dummy) continue;
      if (prices_.empty()) missing.push_back(name);
      else a.energy = price(p.name, name);
    }
    for (const FanoutAxis& d : p.fanout) instances_ *= static_cast<double>(d.size);
    if (!p.has_leak && !dummy) p.leak = price(p.name, "leak") / instances_;
    if (p.kind == "!Compute") leaking_ = p.leak * instances_;
    if (parts_.empty() && p.total_latency.empty() && !dummy)
      if (const double rate = price(p.name, "rate"); rate > 0)
        for (auto& [_, a] : p.actions)
          if (a.throughput == kInfinite) a.throughput = rate / a.bits;
    if (const double seconds = price(p.name, "seconds"); p.kind == "!Compute" && seconds > 0)
      if (Action& a = p.actions["compute"]; a.throughput == kInfinite) a.throughput = 1 / seconds;
    if (missing.empty()) return;
    const bool known = p.component_class && technology_ >= 7 && technology_ <= 130 && p.kind != "!Toll" &&
                       missing.size() == needed.size();
    if (!known)
      return complain(p.node, fmt::format("{}: no energy of {}: component models ({}) are not here; give the energy of "
                                          "its actions, or component_class: Dummy for none",
                                          p.name, join(missing), p.component_class.value_or("no component_class")));
    p.table = true;
    note(fmt::format("{}: energies, leakage and area are those of our tables at {:g} nm, not of the model {}", p.name,
                     technology_, *p.component_class));
  }

  double price(const std::string& component, const std::string& action) const {
    const auto found = prices_.find({component, action});
    return found == prices_.end() ? 0 : found->second;
  }

  // Bits per second of a memory, "" without a limit; `cycle` in s, words of `word` bits.
  std::string bandwidth(const Part& p, double cycle, double word) {
    const auto rate = [&](const char* name) {
      const auto it = p.actions.find(name);
      return it == p.actions.end() ? kInfinite : it->second.throughput * it->second.bits;
    };
    const auto words = [&](double bits_per_second) { return bits_per_second * cycle / (word * p.scale); };
    const auto entry = [&](const char* name, double bits_per_second) {
      const double value = words(bits_per_second);
      return value > kMaxBandwidth ? "" : fmt::format("{}: {}", name, std::max(value, kMinBandwidth));
    };
    double read = rate("read"), write = rate("write");
    bool together = true;
    if (!p.total_latency.empty()) {
      static const std::string kCalls = "sum(a.n_calls for a in actions)";
      static const std::string kPorts = "max(a.n_calls / a.throughput for a in actions)";
      const std::size_t at = p.total_latency.find(kCalls);
      if (p.total_latency == kPorts) {
        together = false;
      } else if (at != std::string::npos) {
        std::string one = p.total_latency;
        const Result<double> seconds = evaluate_number(one.replace(at, kCalls.size(), "1"), scope_);
        const auto bits = [&](const char* name) {
          const auto it = p.actions.find(name);
          return it == p.actions.end() ? 1.0 : it->second.bits;
        };
        if (!seconds || *seconds <= 0 || bits("read") != bits("write")) return refuse_latency(p);
        read = write = bits("read") / *seconds;
      } else if (const Result<double> fixed = evaluate_number(p.total_latency, scope_); fixed && *fixed == 0) {
        read = write = kInfinite;
      } else {
        return refuse_latency(p);
      }
    }
    if (together && read == write) {
      const std::string shared = entry("shared", read);
      return shared.empty() ? "" : fmt::format(", bandwidth: {{{}}}", shared);
    }
    if (together && read != kInfinite && write != kInfinite)
      note(fmt::format(
          "{}: reads and writes of different rates: here they go on side by side, there one after the other", p.name));
    std::vector<std::string> both{entry("read", read), entry("write", write)};
    std::erase(both, "");
    return both.empty() ? "" : fmt::format(", bandwidth: {{{}}}", fmt::join(both, ", "));
  }
  std::string refuse_latency(const Part& p) {
    const auto node = p.node.find("total_latency");
    complain(
        node ? *node : p.node,
        fmt::format("'{}' has no counterpart: understood are sum(a.n_calls for a in actions) / RATE, max(a.n_calls "
                    "/ a.throughput for a in actions) and the default",
                    shortened(p.total_latency)));
    return "";
  }

  // Seconds of a computation; 0: it takes none.
  double cycle_of(const Part& compute) {
    if (compute.total_latency.empty()) {
      const double rate = compute.actions.at("compute").throughput;
      return rate == kInfinite ? 0 : 1 / rate;
    }
    static const std::string kCalls = "sum(a.n_calls for a in actions)";
    std::string one = compute.total_latency;
    const std::size_t at = one.find(kCalls);
    if (at != std::string::npos) one.replace(at, kCalls.size(), "1");
    const Result<double> seconds = evaluate_number(one, scope_);
    if (seconds && *seconds >= 0 && (at != std::string::npos || *seconds == 0)) return *seconds;
    refuse_latency(compute);
    return 0;
  }

  std::string joules(double value) const { return fmt::format("{}", value / out_.joules_per_pj); }

  // Whole joules for a bit are a unit of the file's own, to count accesses with: they are read as so many pJ.
  void choose_unit(double word) {
    double most = 0;
    for (const Part& p : parts_)
      for (const auto& [_, a] : p.actions) most = std::max(most, a.energy / a.bits * word * p.scale);
    if (most * kPico <= kMaxAccessPicojoules) return;
    out_.joules_per_pj = 1;
    note(fmt::format("energies up to {:g} J for a word: each J is read as a pJ", most));
  }

  std::string prices_text(const Part& p, double word, double cycle) const {
    if (p.table) return ", energy: table";
    const auto of = [&](const char* name) {
      const Action& a = p.actions.at(name);
      return a.energy / a.bits * word * p.scale;
    };
    std::string out = fmt::format(", energy: {{read: {}, write: {}}}", joules(of("read")), joules(of("write")));
    if (p.leak > 0) out += fmt::format(", leak_pj_per_cycle: {}", joules(p.leak * cycle));
    if (p.area > 0) out += fmt::format(", area_um2: {}", p.area * kPico);
    return out;
  }

  std::string keep_text(const Part& p) const {
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

  Result<MachineText> written() {
    const Part& compute = parts_.back();
    parts_.front().leak += leaking_;  // a machine of ours has no leakage of compute units
    const double seconds = cycle_of(compute);
    const double cycle = kind_.cycle_seconds > 0 ? kind_.cycle_seconds : seconds > 0 ? seconds : 1e-9;
    out_.cycle_seconds = cycle;
    out_.compute_units = static_cast<u64>(instances_);
    if (seconds == 0)
      note(fmt::format("{}: no time of a computation is stated; here it takes a cycle of {:g} ns", compute.name,
                       cycle * 1e9));
    if (const double lanes = std::round(cycle / std::max(seconds, cycle * 1e-6)); seconds > 0 && lanes > 1)
      parts_.back().fanout.push_back({.name = "lanes", .size = static_cast<u64>(lanes), .constraint = {}});
    // Words of a byte, or of a bit where some memory does not hold whole bytes.
    const bool bytes = std::ranges::all_of(parts_, [](const Part& p) {
      return p.kind != "!Memory" || std::isinf(p.size) || std::fmod(p.size / p.scale, 8) == 0;
    });
    const double word = bytes ? 8 : 1;
    choose_unit(word);
    std::string text =
        fmt::format("architecture:\n  name: {}\n  word_bits: {}\n  drain_reads: on\n", yaml_scalar(name_), word);
    if (technology_ >= 7 && technology_ <= 130) text += fmt::format("  technology_nm: {}\n", technology_);
    if (const double ns = cycle * 1e9; ns >= 1e-3 && ns <= 1e6) text += fmt::format("  cycle_ns: {}\n", ns);
    text += "  levels:\n";
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i) text += level(i, word, cycle);
    text += fmt::format("  compute: {{name: {}, {}{}}}\n", yaml_scalar(compute.name), compute_price(compute),
                        compute.area > 0 ? fmt::format(", area_um2: {}", compute.area * kPico) : "");
    if (!errors_.empty()) return errors_;
    out_.text = std::move(text);
    return std::move(out_);
  }
  std::string compute_price(const Part& compute) const {
    if (compute.table) return "energy: table";
    const Action& a = compute.actions.at("compute");
    return fmt::format("energy: {}", joules(a.energy));
  }

  std::string level(std::size_t i, double word, double cycle) {
    const Part& p = parts_[i];
    const std::vector<FanoutAxis>& below = parts_[i + 1].fanout;
    std::string out = fmt::format("  - {{name: {}", yaml_scalar(p.name));
    if (p.kind == "!Toll") {
      if (p.keep != scope_.all && p.may_keep != scope_.all)
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

  const YamlNode& root_;
  const std::string& name_;
  const EinsumKind& kind_;
  const ActionPrices& prices_;
  ExpressionScope scope_;
  Diagnostics errors_;
  std::vector<Part> parts_;
  std::vector<FanoutAxis> pending_;  // fan-outs of containers, of the next node
  double technology_ = 0;            // nm
  double instances_ = 1;             // of the last part
  double leaking_ = 0;               // W of all compute units
  MachineText out_;
};

}  // namespace

Result<MachineText> machine_text(const YamlNode& root, const std::string& name, const EinsumKind& kind,
                                 const ActionPrices& prices) {
  return MachineReader(root, name, kind, prices).run();
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
