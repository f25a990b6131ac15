#include "engine/formats/timeloop/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/instance.h"
#include "workloads/einsum_text.h"

namespace heliolite {
namespace {

// Sections a Timeloop file may hold besides its problem.
constexpr std::array<const char*, 17> kOtherSections{
    "architecture", "arch",     "components",           "compound_components", "mapping",
    "mapper",       "mapspace", "sparse_optimizations", "variables",           "globals",
    "ERT",          "ART",      "ERT_summary",          "ART_summary",         "dumped_by_timeloop_front_end",
    "processors",   "version"};

std::string with_hyphens(std::string_view key) {
  std::string out(key);
  std::ranges::replace(out, '_', '-');
  return out;
}

// Both spellings of a key.
std::optional<YamlNode> child(MapReader& map, std::string_view key) {
  const auto underscores = map.child(key);
  return underscores ? underscores : map.child(with_hyphens(key));
}

class ProblemReader {
 public:
  ProblemReader(const std::vector<YamlNode>& others, std::vector<std::string>& notes) : notes_(notes) {
    for (const YamlNode& other : others) add_variables(other);
  }

  Result<Workload> run(const YamlNode& root, const std::string& name) {
    workload_.name = name;
    add_variables(root);
    if (const auto problem_node = root.find("problem")) {
      MapReader file(root, errors_);
      file.ignore("problem");
      for (const char* section : kOtherSections) file.ignore(section);
      // The front end's own word for a home of anchors: "problem_base_ignore: &problem_base"; and it takes any key with
      // "constraints" in it.
      for (const std::string& key : root.keys())
        if (key.find("ignore") != std::string::npos || key.find("constraints") != std::string::npos) file.ignore(key);
      file.finish();
      problem(*problem_node);
    } else {
      problem(root);
    }
    if (errors_.empty()) finish(root);
    if (!errors_.empty()) return errors_;
    return std::move(workload_);
  }

 private:
  // A term's coefficient is known once the instance is read.
  struct NamedTerm {
    std::size_t tensor, rank, term;
    std::string coefficient;
  };

  void add_variables(const YamlNode& document) {
    if (const auto variables = document.find("variables"); variables && variables->is_map())
      variables_.push_back(*variables);
  }

  void problem(const YamlNode& node) {
    MapReader map(node, errors_);
    if (!map.valid()) return;
    version(map);
    // Where the layer comes from and what its values are like: no part of the Einsum.
    for (const char* key : {"name", "dnn_name", "notes", "histograms"}) map.ignore(key);
    const auto shape_node = map.child("shape");
    if (!shape_node) {
      built_in_shape("cnn-layer", node);  // Timeloop's default
    } else if (shape_node->is_scalar()) {
      built_in_shape(shape_node->text(), *shape_node);
    } else {
      shape(*shape_node);
    }
    if (workload_.dimensions.empty()) return;  // complained about; its sizes would all look unknown
    if (const auto instance_node = map.child("instance")) {
      MapReader instance_map(*instance_node, errors_);
      instance(instance_map);
      instance_map.finish();
    } else if (std::ranges::none_of(workload_.dimensions, [&](const Dimension& d) { return node.has(d.name); })) {
      errors_.push_back(node.error("a shape without sizes: give them as 'instance'"));
    } else {
      instance(map);  // the oldest files give the sizes in the map of the shape
    }
    map.finish();
  }

  void version(MapReader& map) {
    const auto node = map.child("version");
    if (!node) return;
    constexpr std::array<std::string_view, 4> kVersions{"0.1", "0.2", "0.3", "0.4"};
    if (std::ranges::find(kVersions, node->text()) != kVersions.end()) return;
    errors_.push_back(node->error(fmt::format("version = {}, must be 0.1, 0.2, 0.3 or 0.4", shown(*node))));
  }

  void built_in_shape(std::string_view name, const YamlNode& where) {
    const std::string wanted = lower(with_hyphens(name));
    for (const BuiltInShape& shape_text : kBuiltInShapes) {
      if (shape_text.name != wanted) continue;
      const Result<YamlNode> parsed = YamlNode::parse(shape_text.text, std::string(shape_text.name));
      if (parsed) shape(*parsed);
      return;
    }
    const std::vector<std::string> names = names_of(kBuiltInShapes);
    errors_.push_back(where.error(fmt::format("shape = {}, must be a map with dimensions and data_spaces, or {}{}",
                                              shortened(name), join(names, "or"), did_you_mean(name, names))));
  }

  void shape(const YamlNode& node) {
    MapReader map(node, errors_);
    if (!map.valid()) return;
    map.ignore("name");
    if (const auto words = map.words("dimensions"))
      for (const std::string& name : *words) workload_.dimensions.push_back({name, 0});
    else if (!map.child("dimensions")) map.error("missing key 'dimensions'");
    if (const auto list = map.child("coefficients")) coefficients(*list);
    if (const auto flatten = map.child("flatten"); flatten && flatten->size() > 0)
      errors_.push_back(flatten->error("flattened dimensions are not supported; remove 'flatten'"));
    const auto spaces = child(map, "data_spaces");
    if (!spaces) {
      map.error("missing key 'data_spaces'");
    } else if (!spaces->is_sequence()) {
      errors_.push_back(spaces->error(fmt::format("data_spaces must be a list, not {}", shown(*spaces))));
    } else {
      for (std::size_t i = 0; i < spaces->size(); ++i) data_space(spaces->at(i));
    }
    map.finish();
  }

  void coefficients(const YamlNode& list) {
    for (std::size_t i = 0; i < list.size() && list.is_sequence(); ++i) {
      MapReader map(list.at(i), errors_);
      const auto name = map.required_string("name");
      const auto value = map.integer("default", 0, static_cast<i64>(kMaxCoefficient));
      map.finish();
      if (name) coefficients_.push_back({*name, static_cast<u64>(value.value_or(1)), list.at(i)});
    }
    if (!list.is_sequence() && !list.is_null())
      errors_.push_back(list.error("coefficients must be a list of {name, default}"));
  }

  void data_space(const YamlNode& node) {
    MapReader map(node, errors_);
    if (!map.valid()) return;
    Tensor& tensor = workload_.tensors.emplace_back();
    tensor.name = map.required_string("name").value_or("");
    const bool underscore = map.boolean("read_write").value_or(false);
    if (map.boolean("read-write").value_or(false) || underscore) tensor.role = Role::Output;
    map.words("ranks");  // their names only
    const auto projection = map.required_child("projection");
    if (projection && !projection->is_sequence())
      errors_.push_back(
          projection->error(fmt::format("projection must be a list of ranks, not {}", shown(*projection))));
    for (std::size_t i = 0; projection && i < projection->size(); ++i) rank(tensor, projection->at(i));
    map.finish();
  }

  // `[[R, Wdilation], [P, Wstride]]`, `[[C]]`, or just C.
  void rank(Tensor& tensor, const YamlNode& node) {
    Rank& rank_here = tensor.ranks.emplace_back();
    if (node.is_scalar()) return dimension(rank_here, node);
    if (!node.is_sequence()) {
      errors_.push_back(
          node.error(fmt::format("a rank must be a list of terms like [[P, Wstride], [R]], not {}", shown(node))));
      return;
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode term = node.at(i);
      const bool list = term.is_sequence() && (term.size() == 1 || term.size() == 2) && term.at(0).is_scalar();
      if (!list || (term.size() == 2 && !term.at(1).is_scalar())) {
        errors_.push_back(term.error(
            fmt::format("a term must be a list [dimension] or [dimension, coefficient], not {}", shown(term))));
        continue;
      }
      const std::size_t before = errors_.size();
      dimension(rank_here, term.at(0));
      if (term.size() == 2 && errors_.size() == before) coefficient(term.at(1), rank_here.terms.back());
    }
  }

  void dimension(Rank& rank_here, const YamlNode& node) {
    if (const std::optional<int> d = workload_.find_dimension(node.text())) {
      rank_here.terms.push_back({*d, 1});
      return;
    }
    if (workload_.dimensions.empty()) return;  // complained about
    std::vector<std::string> names = names_of(workload_.dimensions);
    errors_.push_back(node.error(fmt::format("unknown dimension '{}', must be one of {}{}", shown(node),
                                             join(names, "or"), did_you_mean(node.text(), names))));
  }

  void coefficient(const YamlNode& node, Term& term) {
    const auto value = node.as_integer();
    if (value && *value >= 1 && static_cast<u64>(*value) <= kMaxCoefficient) {
      term.coefficient = static_cast<u64>(*value);
      return;
    }
    const auto known = std::ranges::find(coefficients_, node.text(), &TimeloopCoefficient::name);
    if (known != coefficients_.end()) {
      const std::size_t v = workload_.tensors.size() - 1;
      const std::size_t r = workload_.tensors[v].ranks.size() - 1;
      named_.push_back({v, r, workload_.tensors[v].ranks[r].terms.size() - 1, node.text()});
      return;
    }
    const std::vector<std::string> names = names_of(coefficients_);
    errors_.push_back(node.error(fmt::format("unknown coefficient '{}', must be {}an integer from 1 to {}{}",
                                             shown(node), names.empty() ? "" : join(names, ",") + " or ",
                                             kMaxCoefficient, did_you_mean(node.text(), names))));
  }

  void instance(MapReader& map) {
    if (map.valid()) read_timeloop_instance(map, variables_, workload_, coefficients_, notes_, errors_);
  }

  void finish(const YamlNode& root) {
    for (const NamedTerm& t : named_) {
      const auto known = std::ranges::find(coefficients_, t.coefficient, &TimeloopCoefficient::name);
      Term& term = workload_.tensors[t.tensor].ranks[t.rank].terms[t.term];
      term.coefficient = std::max<u64>(known->value, 1);
      const Dimension& dimension = workload_.dimensions[term.dimension];
      // Times the only position, 0, any coefficient is the same.
      if (known->value == 0 && dimension.size > 1)
        errors_.push_back(
            known->place.error(fmt::format("{} = 0, must be an integer from 1 to {}: it multiplies {} of size {}",
                                           known->name, kMaxCoefficient, dimension.name, dimension.size)));
    }
    link_accesses(workload_);
    infer_roles(workload_);
    const YamlNode place = root.find("problem").value_or(root);
    for (const Diagnostic& error : check(workload_)) errors_.push_back(place.error(error.field + ": " + error.message));
  }

  std::vector<YamlNode> variables_;  // maps of names and values
  std::vector<std::string>& notes_;
  Workload workload_;
  std::vector<TimeloopCoefficient> coefficients_;
  std::vector<NamedTerm> named_;
  Diagnostics errors_;
};

}  // namespace

bool is_timeloop_problem(const YamlNode& root) { return root.has("problem") || root.has("shape"); }

Result<Workload> timeloop_problem(const YamlNode& root, const std::string& name, const std::vector<YamlNode>& others,
                                  std::vector<std::string>* notes) {
  std::vector<std::string> unheard;
  return ProblemReader(others, notes == nullptr ? unheard : *notes).run(root, name);
}

// Writes a workload as a Timeloop problem file (problem.h).

namespace {

// Timeloop wants a name for every stride and dilation.
std::string coefficient_name(u64 value) { return fmt::format("coefficient_{}", value); }

std::string projection(const Tensor& tensor, const Workload& workload) {
  std::vector<std::string> ranks;
  for (const Rank& rank : tensor.ranks) {
    std::vector<std::string> terms;
    for (const Term& term : rank.terms) {
      const std::string name = yaml_scalar(workload.dimensions[term.dimension].name);
      terms.push_back(term.coefficient == 1 ? fmt::format("[{}]", name)
                                            : fmt::format("[{}, {}]", name, coefficient_name(term.coefficient)));
    }
    ranks.push_back(fmt::format("[{}]", fmt::join(terms, ", ")));
  }
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::set<u64> coefficients(const Workload& workload) {
  std::set<u64> values;
  for (const Tensor& tensor : workload.tensors)
    for (const Rank& rank : tensor.ranks)
      for (const Term& term : rank.terms)
        if (term.coefficient != 1) values.insert(term.coefficient);
  return values;
}

Diagnostics problem_notes(const Workload& workload) {
  Diagnostics notes;
  for (const Dimension& d : workload.dimensions)
    if (!std::ranges::all_of(d.name, [](char c) { return is_letter(c) && c != '_'; }))
      notes.push_back({"", 0, "dimension " + d.name,
                       "Timeloop's factors know names of letters only: its mappings and constraints cannot name it"});
  Workload guessed = workload;
  for (Tensor& tensor : guessed.tensors)
    if (!tensor.is_output()) tensor.role = Role::Input;
  infer_roles(guessed);
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (guessed.tensors[v].role != workload.tensors[v].role)
      notes.push_back({"", 0, "tensor " + workload.tensors[v].name,
                       fmt::format("is the {} here; Timeloop's problems have no roles, and by its name and place it is "
                                   "read as the {}",
                                   name(workload.tensors[v].role), name(guessed.tensors[v].role))});
  return notes;
}

}  // namespace

TimeloopProblem write_timeloop_problem(const Workload& workload, std::string_view version) {
  std::vector<std::string> names, sizes, factors;
  for (const Dimension& d : workload.dimensions) {
    names.push_back(yaml_scalar(d.name));
    sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  }
  for (const u64 value : coefficients(workload))
    factors.push_back(fmt::format("{{name: {}, default: {}}}", coefficient_name(value), value));
  std::string out = fmt::format("problem:\n  version: {}\n  shape:\n    name: {}\n    dimensions: [{}]\n", version,
                                yaml_scalar(workload.name), fmt::join(names, ", "));
  if (!factors.empty()) out += fmt::format("    coefficients: [{}]\n", fmt::join(factors, ", "));
  out += "    data_spaces:\n";
  for (const Tensor& tensor : workload.tensors)
    out += fmt::format("    - {{name: {}, projection: {}{}}}\n", yaml_scalar(tensor.name), projection(tensor, workload),
                       tensor.is_output() ? ", read_write: true" : "");
  out += fmt::format("  instance: {{{}}}\n", fmt::join(sizes, ", "));
  return {std::move(out), problem_notes(workload)};
}

}  // namespace heliolite
