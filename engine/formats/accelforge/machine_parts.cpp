#include "engine/formats/accelforge/machine_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::accelforge {
namespace {

constexpr double kMaxFanoutSize = 1 << 20;

class PartReader {
 public:
  PartReader(const YamlNode& root, const EinsumKind& kind, const ActionPrices& prices)
      : root_(root), kind_(kind), prices_(prices) {
    for (const auto& [role, bits] : kind.bits) {
      out_.scope.all.insert(role);
      out_.scope.names[role] = NameSet{role};
      out_.scope.names[role + ".bits_per_value"] = static_cast<double>(bits);
    }
    for (const auto& [role, _] : roles())
      if (!kind.bits.contains(role)) out_.scope.names[role] = NameSet{};
    out_.scope.names["All"] = out_.scope.all;
    out_.scope.names["Nothing"] = NameSet{};
    out_.scope.names["Intermediates"] = NameSet{};
    NameSet inputs = out_.scope.all;
    inputs.erase("output");
    out_.scope.names["Inputs"] = inputs;
    out_.scope.names["Outputs"] = kind.bits.contains("output") ? NameSet{"output"} : NameSet{};
  }

  // Reads the nodes on the way to the compute unit `to`.
  Result<MachineParts> run(const YamlNode& nodes, const YamlNode& to) {
    if (const auto extra = root_.find("arch")->find("extra_attributes_for_all_component_models"))
      if (const auto node = extra->find("tech_node")) out_.technology_nm = number(*node).value_or(0) * 1e9;
    std::vector<YamlNode> leaves;
    if (!nodes_to(nodes, to, leaves)) complain(nodes, fmt::format("more than {} nodes", kMaxNodesOfWay));
    for (const YamlNode& leaf : leaves) part(leaf);
    if (errors_.empty() && (out_.parts.empty() || out_.parts.front().kind != "!Memory"))
      errors_.push_back(nodes.error("the first node must be a !Memory, which backs all tensors"));
    if (errors_.empty() && !out_.parts.front().fanout.empty())
      errors_.push_back(
          out_.parts.front().node.error("the outermost memory has several instances, which has no counterpart"));
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

  // Those of the compute units that run such Einsums.
  Result<std::vector<YamlNode>> enabled(const std::vector<YamlNode>& units) {
    std::vector<YamlNode> out;
    for (const YamlNode& unit : units)
      if (is_enabled(unit)) out.push_back(unit);
    if (!errors_.empty()) return errors_;
    return out;
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
    const Result<double> value = evaluate_number(text, out_.scope);
    if (value) return *value;
    complain(node, fmt::format("'{}': {}", shortened(text), value.errors().front().message));
    return std::nullopt;
  }
  std::string bits_text() const {
    std::vector<std::string> texts;
    for (const auto& [_, bits] : kind_.bits)
      if (const std::string text = text_of(bits); std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    return join(texts);
  }
  std::optional<double> at_least(const YamlNode& node, double low) {
    const std::optional<double> value = number(node);
    if (!value || *value >= low) return value;
    complain(node, fmt::format("{}, must be at least {}", shortened(node.text()), low));
    return std::nullopt;
  }
  std::optional<NameSet> set_of(const YamlNode& node) {
    const Result<NameSet> set = evaluate_set(node.text(), out_.scope);
    if (set) return *set;
    complain(node, fmt::format("'{}': {}", shortened(node.text()), set.errors().front().message));
    return std::nullopt;
  }

  bool is_enabled(const YamlNode& node) {
    const auto text = node.find("enabled");
    if (!text) return true;
    const Result<ExpressionValue> value = evaluate_expression(text->text(), out_.scope);
    if (!value) {
      complain(*text, value.errors().front().message);
      return false;
    }
    const auto* set = std::get_if<NameSet>(&*value);
    return set != nullptr ? !set->empty() : std::get<double>(*value) != 0;
  }

  void part(const YamlNode& node) {
    MachinePart p{.node = node,
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
    if (p.kind == "!Memory")
      if (const auto size = reader.required_child("size")) p.size = at_least(*size, 0).value_or(0);
    if (p.kind == "!Toll") p.direction = reader.string("direction").value_or("up_and_down");
    if (p.kind != "!Compute") {
      tensors(reader.child("tensors"), p);
      if (const auto bits = reader.child("bits_per_value")) values(*bits, p);
    }
    reader.finish();
    for (auto& [key, bits] : out_.action_bits)
      if (key.first == p.name) bits /= p.scale;
    settle_prices(p);
    out_.parts.push_back(std::move(p));
  }

  void add_action(const YamlNode& node, double energy_scale, double latency_scale, std::optional<double> common_bits,
                  MachinePart& p) {
    MapReader reader(node, errors_);
    const std::string name = reader.required_string("name").value_or("");
    const bool compute = p.kind == "!Compute";
    if (compute ? name != "compute" : name != "read" && name != "write")
      complain(node, fmt::format("action '{}' has no counterpart: understood {}", shortened(name),
                                 compute ? "is compute" : "are read and write"));
    PartAction a;
    a.bits = common_bits.value_or(1);
    if (const auto bits = reader.child("bits_per_action")) a.bits = at_least(*bits, 1e-9).value_or(1);
    if (const auto energy = reader.child("energy")) a.energy = at_least(*energy, 0).value_or(0), a.has_energy = true;
    if (const auto scale = reader.child("energy_scale")) a.energy *= at_least(*scale, 0).value_or(1);
    a.energy *= energy_scale;
    const auto throughput = reader.child("throughput"), latency = reader.child("latency");
    if (throughput) a.throughput = at_least(*throughput, 1e-30).value_or(1);
    if (latency) {
      const double seconds = at_least(*latency, 0).value_or(0);
      a.throughput = seconds == 0 ? kNoLimit : 1 / seconds;
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

  void tensors(const std::optional<YamlNode>& node, MachinePart& p) {
    p.may_keep = out_.scope.all;
    if (node) {
      MapReader reader(*node, errors_);
      const auto keep = reader.child("keep"), may = reader.child("may_keep");
      if (keep) p.keep = set_of(*keep).value_or(NameSet{});
      p.may_keep = may ? set_of(*may).value_or(NameSet{}) : keep ? NameSet{} : out_.scope.all;
      reader.finish();
    }
    out_.scope.names[p.name] = p.keep;
    out_.scope.names[p.name + ".tensors"] = p.keep;
  }

  // {output: 3 * output.bits_per_value}: how many bits a value has here, by what it has elsewhere.
  void values(const YamlNode& node, MachinePart& p) {
    if (!node.is_map()) return complain(node, "must be a map of tensors and bits");
    NameSet kept = p.keep;
    kept.insert(p.may_keep.begin(), p.may_keep.end());
    std::optional<double> factor;
    for (const std::string& role : kept) {
      double mine = 1;
      for (const std::string& key : node.keys()) {
        const Result<NameSet> set = evaluate_set(key, out_.scope);
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
      if (set_of(*may).value_or(NameSet{}) != out_.scope.all)
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
  void settle_prices(MachinePart& p) {
    const std::vector<std::string> needed = p.kind == "!Compute" ? std::vector<std::string>{"compute"}
                                            : p.kind == "!Toll"  ? std::vector<std::string>{"read"}
                                                                 : std::vector<std::string>{"read", "write"};
    const bool dummy = p.component_class && lower(*p.component_class) == "dummy";
    std::vector<std::string> missing;
    for (const std::string& name : needed) {
      PartAction& a = p.actions[name];
      if (a.has_energy || dummy) continue;
      if (prices_.empty()) missing.push_back(name);
      else a.energy = price(p.name, name);
    }
    for (const FanoutAxis& d : p.fanout) out_.compute_units *= static_cast<double>(d.size);
    if (!p.has_leak && !dummy) p.leak = price(p.name, "leak") / out_.compute_units;
    if (p.kind == "!Compute") out_.compute_leak_watts = p.leak * out_.compute_units;
    if (out_.parts.empty() && p.total_latency.empty() && !dummy)
      if (const double rate = price(p.name, "rate"); rate > 0)
        for (auto& [_, a] : p.actions)
          if (a.throughput == kNoLimit) a.throughput = rate / a.bits;
    if (const double seconds = price(p.name, "seconds"); p.kind == "!Compute" && seconds > 0)
      if (PartAction& a = p.actions["compute"]; a.throughput == kNoLimit) a.throughput = 1 / seconds;
    if (missing.empty()) return;
    const bool known = p.component_class && out_.technology_nm >= 7 && out_.technology_nm <= 130 && p.kind != "!Toll" &&
                       missing.size() == needed.size();
    if (!known)
      return complain(p.node, fmt::format("{}: no energy of {}: component models ({}) are not here; give the energy of "
                                          "its actions, or component_class: Dummy for none",
                                          p.name, join(missing), p.component_class.value_or("no component_class")));
    p.table = true;
    note(fmt::format("{}: energies, leakage and area are those of our tables at {:g} nm, not of the model {}", p.name,
                     out_.technology_nm, *p.component_class));
  }

  double price(const std::string& component, const std::string& action) const {
    const auto found = prices_.find({component, action});
    return found == prices_.end() ? 0 : found->second;
  }

  const YamlNode& root_;
  const EinsumKind& kind_;
  const ActionPrices& prices_;
  Diagnostics errors_;
  std::vector<FanoutAxis> pending_;  // fan-outs of containers, of the next node
  MachineParts out_;
};

// Einsums of two tensors, with the sizes of the kind's words.
EinsumKind pair_of(const EinsumKind& kind) {
  EinsumKind out = kind;
  out.bits.erase("weight");
  return out;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& roles() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"input", "inputs"}, {"weight", "weights"}, {"output", "outputs"}};
  return names;
}

Result<std::vector<UnitParts>> read_unit_parts(const YamlNode& root, const EinsumKind& kind,
                                               const ActionPrices& prices) {
  const auto arch = root.find("arch");
  if (!arch || !arch->is_map()) return root.error("has no map 'arch'");
  Diagnostics errors;
  MapReader reader(*arch, errors);
  const auto nodes = reader.required_child("nodes");
  for (const char* key : {"name", "version", "variables", "extra_attributes_for_all_component_models"})
    reader.ignore(key);
  reader.finish();
  if (!nodes) return errors;
  const std::vector<YamlNode> units = find_units(*nodes, errors);
  if (!errors.empty()) return errors;
  const EinsumKind pair = pair_of(kind);
  const auto of_kind = PartReader(root, kind, prices).enabled(units);
  const auto of_pairs = kind.every_unit ? PartReader(root, pair, prices).enabled(units) : of_kind;
  if (!of_kind) return of_kind.errors();
  if (!of_pairs) return of_pairs.errors();
  if (of_kind->empty())
    return nodes->error("has no !Compute for Einsums of " + std::to_string(kind.bits.size()) + " tensors");
  // Units that are read: the last of the kind's, and all others.
  std::vector<YamlNode> taken{of_kind->back()};
  for (const YamlNode& unit : units)
    if (kind.every_unit && (has_node(*of_kind, unit) || has_node(*of_pairs, unit)) && !has_node(taken, unit))
      taken.push_back(unit);
  std::vector<UnitParts> out;
  for (const YamlNode& unit : taken) {
    const bool runs_kind = has_node(*of_kind, unit);
    Result<MachineParts> way = PartReader(root, runs_kind ? kind : pair, prices).run(*nodes, unit);
    if (!way) return way.errors();
    const auto others = static_cast<OperationMask>(has_node(*of_pairs, unit) ? kAllOperations & ~kProducts : 0);
    out.push_back({*std::move(way), static_cast<OperationMask>((runs_kind ? kProducts : 0) | others)});
  }
  std::vector<std::string>& notes = out.front().way.notes;
  if (kind.every_unit)
    for (std::string& note : nodes_left_out(*nodes, taken)) notes.push_back(std::move(note));
  else
    for (const YamlNode& unit : units)
      if (!has_node(taken, unit))
        notes.push_back(
            fmt::format("{} is left out: Einsums of {} tensors run elsewhere", name_of_node(unit), kind.bits.size()));
  return out;
}

}  // namespace heliolite::accelforge
