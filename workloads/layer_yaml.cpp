// Reads one workload of a YAML file: a named shape, an Einsum as text, or explicit dimensions and tensors.
#include "engine/base/named.h"
#include "workloads/network_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "workloads/einsum_text.h"
#include "workloads/word_bits.h"
#include "workloads/workload_fields.h"

namespace heliolite {
namespace {

// Reads one way of describing a workload into `workload_`.
class WorkloadReader {
 public:
  WorkloadReader(FieldReader& map, const LayerContext& context, std::vector<std::string>& notes, Diagnostics& errors)
      : map_(map), context_(context), notes_(notes), errors_(errors) {}

  std::optional<Workload> run() {
    if (!map_.valid()) return std::nullopt;
    const std::size_t before = errors_.size();
    for (const FileField& field : shape_fields()) map_.ignore(field.name);  // which shapes have which is said below
    const std::vector<std::string> shapes = given_shapes();
    if (shapes.size() != 1) {
      complain_about(shapes);
      return std::nullopt;
    }
    if (shapes[0] == "einsum") einsum();
    else if (shapes[0] == "dimensions") explicit_tensors();
    else family(*find_family(shapes[0]));
    if (errors_.size() != before) return std::nullopt;
    operation();
    roles();
    word_bits();
    if (errors_.size() != before) return std::nullopt;
    add_at(place_, check(workload_), errors_);
    if (errors_.size() != before) return std::nullopt;
    return std::move(workload_);
  }

 private:
  static std::vector<std::string> all_shapes() {
    std::vector<std::string> names = family_names();
    names.insert(names.end(), {"einsum", "dimensions"});
    return names;
  }

  std::vector<std::string> given_shapes() {
    std::vector<std::string> given;
    for (const std::string& name : all_shapes())
      if (map_.child(name)) given.push_back(name);
    return given;
  }

  void complain_about(const std::vector<std::string>& shapes) {
    if (!shapes.empty()) return map_.error(fmt::format("several shapes ({}), must be one", join(shapes)));
    // A slip in the shape's name is the likely reason that there is none.
    for (const std::string& key : map_.node().keys())
      if (nearest(key, all_shapes()) && find_family(key) == nullptr) return;
    map_.error(fmt::format("no shape; give one of {}", join(all_shapes(), "or")));
  }

  void refuse(std::initializer_list<const char*> keys, std::string_view why) {
    for (const char* key : keys)
      if (const auto node = map_.child(key)) errors_.push_back(node->error(fmt::format("'{}' {}", key, why)));
  }

  void family(const Family& family) {
    refuse({"sizes", "tensors", "output"}, fmt::format("does not go with '{}'", family.name));
    place_ = *map_.child(family.name);
    std::optional<Arguments> arguments = read_arguments(family, place_, errors_);
    if (!arguments) return;
    if (const auto it = context_.defaults.find(family.name); it != context_.defaults.end())
      arguments->insert(it->second.begin(), it->second.end());
    if (context_.batch != 1 && !batched(family, *arguments)) return;
    const Family* shape = context_.pass == Pass::WeightUpdate ? updated(family, *arguments) : &family;
    if (shape == nullptr) return;
    Result<Workload> built = build_workload(*shape, *arguments);
    if (!built) return add_at(place_, built.errors(), errors_);
    workload_ = std::move(*built);
  }

  bool batched(const Family& family, Arguments& arguments) {
    if (family.batch.empty()) return no_batch();
    u64& n = arguments.emplace(family.batch, 1).first->second;
    n *= context_.batch;  // within 64 bits: kMaxBatch * kMaxDimensionSize
    if (n <= kMaxDimensionSize) return true;
    errors_.push_back(
        place_.error(fmt::format("{} = {} after the batch of {}, must be {}", family.batch, n, context_.batch,
                                 fmt::format("an integer from 1 to {}", kMaxDimensionSize))));
    return false;
  }

  bool no_batch() {
    errors_.push_back(place_.error(
        fmt::format("has no batch dimension; a batch of {} cannot be applied, must be 1", context_.batch)));
    return false;
  }

  const Family* updated(const Family& family, Arguments& arguments) {
    if (family.name == "fc") arguments.emplace("p", 1);
    if (family.name == "fc" || family.name == "conv") return find_family("conv_wu");
    return no_weight_update();
  }

  const Family* no_weight_update() {
    errors_.push_back(place_.error("pass = weight_update is for networks whose layers are all conv or fc"));
    return nullptr;
  }

  void einsum() {
    refuse({"tensors", "output"}, "does not go with 'einsum'");
    place_ = *map_.child("einsum");
    if (!place_.is_scalar()) {
      errors_.push_back(place_.error("einsum must be a text like \"o[i,j] += a[i,k]*b[k,j]\""));
      return;
    }
    if (context_.pass == Pass::WeightUpdate) no_weight_update();
    if (context_.batch != 1) no_batch();
    std::vector<std::string> notes;
    Result<Workload> parsed = parse_formula(place_.text(), {}, &notes);
    note(notes);
    if (!parsed) return add_at(place_, parsed.errors(), errors_);
    workload_ = std::move(*parsed);
    if (const auto node = map_.child("sizes")) sizes(*node);
    for (const Dimension& d : workload_.dimensions) {
      if (d.size != 0) continue;
      errors_.push_back(
          place_.error(fmt::format("no size for dimension {}; give sizes: {{{}: 64}} or \"; {}=64\" after the formula",
                                   d.name, d.name, d.name)));
    }
    workload_.name = "einsum";
  }

  void sizes(const YamlNode& node) {
    if (!node.is_map()) {
      errors_.push_back(node.error("sizes must be a map of dimensions and sizes, like {i: 256, j: 32}"));
      return;
    }
    std::vector<std::string> names = names_of(workload_.dimensions);
    for (const std::string& key : node.keys()) {
      const YamlNode value = *node.find(key);
      const std::optional<int> d = workload_.find_dimension(key);
      if (!d) {
        const std::string hint = did_you_mean(key, names);
        errors_.push_back(value.error(fmt::format("unknown dimension '{}'{}", shortened(key),
                                                  hint.empty() ? ", must be one of " + join(names, "or") : hint)));
        continue;
      }
      u64& size = workload_.dimensions[*d].size;
      if (size != 0) errors_.push_back(value.error(fmt::format("a second size for dimension {}", key)));
      size = read_size(value, key, kMaxDimensionSize, errors_).value_or(1);
    }
  }

  void explicit_tensors() {
    refuse({"sizes"}, "does not go with 'dimensions'; they have the sizes");
    place_ = map_.node();
    if (context_.pass == Pass::WeightUpdate) no_weight_update();
    if (context_.batch != 1) no_batch();
    dimensions(*map_.child("dimensions"));
    if (const auto tensors = map_.needed("tensors")) this->tensors(*tensors);
    map_.needed("output");
    const auto output = map_.string("output");
    if (!output || workload_.tensors.empty()) return;
    std::vector<std::string> names = names_of(workload_.tensors);
    if (const std::optional<int> v = workload_.find_tensor(*output)) workload_.tensors[*v].role = Role::Output;
    else
      errors_.push_back(map_.child("output")->error(fmt::format("output = {}, must be one of {}{}", shortened(*output),
                                                                join(names, "or"), did_you_mean(*output, names))));
    link_accesses(workload_);
    workload_.name = "workload";
  }

  void dimensions(const YamlNode& node) {
    if (!node.is_map()) {
      errors_.push_back(node.error("dimensions must be a map of names and sizes, like {M: 512, N: 512, K: 64}"));
      return;
    }
    for (const std::string& key : node.keys())
      workload_.dimensions.push_back({key, read_size(*node.find(key), key, kMaxDimensionSize, errors_).value_or(1)});
  }

  void tensors(const YamlNode& node) {
    if (!node.is_map()) {
      errors_.push_back(node.error("tensors must be a map of names and ranks, like {A: [M, K], B: [K, N], Z: [M, N]}"));
      return;
    }
    LeftOut left_out;
    for (const std::string& key : node.keys()) {
      const YamlNode ranks = *node.find(key);
      Tensor& tensor = workload_.tensors.emplace_back(Tensor{key, {}, Role::Input});
      if (!ranks.is_sequence()) {
        errors_.push_back(ranks.error(fmt::format("the ranks of {} must be a list, like [M, 2*P+R]", key)));
        continue;
      }
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const YamlNode text = ranks.at(i);
        Result<Rank> rank = parse_rank(text.is_scalar() ? text.text() : "", workload_.dimensions, left_out);
        if (rank && !rank->terms.empty()) tensor.ranks.push_back(std::move(*rank));
        if (!rank) add_at(text, rank.errors(), errors_);
      }
    }
    if (std::string problem = left_out.problem(workload_.dimensions); !problem.empty())
      errors_.push_back(node.error(std::move(problem)));
    else note(left_out.notes(workload_.dimensions));
  }

  void note(const std::vector<std::string>& notes) {
    for (const std::string& text : notes) notes_.push_back(place_.error(text).to_string());
  }

  void operation() {
    if (const std::optional<std::string> word = map_.choice("operation")) {
      workload_.operation = *find_operation(*word);
      // Shapes say which tensor holds weights, which only products have.
      for (Tensor& t : workload_.tensors)
        if (workload_.operation != Operation::Product && t.role == Role::Weight) t.role = Role::Input;
    }
    if (const std::optional<i64> n = map_.integer("operations")) workload_.operations = static_cast<u64>(*n);
    workload_.unit = map_.string("unit").value_or("");
  }

  void roles() {
    const auto node = map_.child("roles");
    if (!node) return infer_roles(workload_);
    if (!node->is_map()) {
      errors_.push_back(node->error("roles must be a map of tensors and roles, like {A: weight, B: input}"));
      return;
    }
    for (Tensor& t : workload_.tensors)
      if (t.role == Role::Weight) t.role = Role::Input;
    const std::vector<std::string> names = names_of(workload_.tensors);
    for (const std::string& key : node->keys()) {
      const YamlNode value = *node->find(key);
      const std::optional<int> v = workload_.find_tensor(key);
      if (!v) {
        errors_.push_back(value.error(fmt::format("unknown tensor '{}', must be one of {}{}", shortened(key),
                                                  join(names, "or"), did_you_mean(key, names))));
        continue;
      }
      Tensor& tensor = workload_.tensors[*v];
      const std::string allowed = tensor.is_output() ? "output" : "input or weight";
      if (value.text() == name(tensor.role)) continue;
      if (!tensor.is_output() && value.text() == "weight") tensor.role = Role::Weight;
      else errors_.push_back(value.error(fmt::format("{} = {}, must be {}", key, shown(value), allowed)));
    }
  }

  void word_bits() {
    set_word_bits(workload_, context_.word_bits);
    const auto node = map_.child("word_bits");
    if (!node) return;
    const std::vector<TensorBits> own = read_word_bits(*node, errors_);
    set_word_bits(workload_, own);
    const Workload* const here = &workload_;
    for (const Diagnostic& d : unknown_tensors({&here, 1}, own))
      errors_.push_back(node->find(own[d.line].tensors)->error(d.message));
  }

  FieldReader& map_;
  const LayerContext& context_;
  std::vector<std::string>& notes_;
  Diagnostics& errors_;
  Workload workload_;
  YamlNode place_;  // where complaints about the whole shape point
};

}  // namespace

std::optional<Workload> read_workload(FieldReader& map, const LayerContext& context, std::vector<std::string>& notes,
                                      Diagnostics& errors) {
  return WorkloadReader(map, context, notes, errors).run();
}

}  // namespace heliolite
