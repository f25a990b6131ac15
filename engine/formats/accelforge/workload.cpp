// AccelForge's workloads, cascades of Einsums, as networks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/cascade.h"
#include "engine/formats/accelforge/files.h"
#include "workloads/workload_yaml.h"

namespace heliolite::accelforge {
namespace {

std::string rank_text(const Projection& rank) {
  std::vector<std::string> terms;
  for (const auto& [factor, variable] : rank.terms)
    terms.push_back(factor == 1 ? variable : fmt::format("{}*{}", factor, variable));
  return fmt::format("{}", fmt::join(terms, "+"));
}

std::string access_text(const TensorAccess& access) {
  return fmt::format("{}[{}]", access.tensor, fmt::join(mapped(access.ranks, rank_text), ","));
}

// Where a tensor is made or first read.
struct Place {
  std::size_t einsum = 0, access = 0;
};

class NetworkMaker {
 public:
  NetworkMaker(Cascade cascade, bool on_edges) : cascade_(std::move(cascade)), on_edges_(on_edges) {}

  // A file of ours. Without `edges` every operand is an array of its own.
  std::string text(const std::string& name, bool edges) {
    std::string out = fmt::format("name: {}\nlayers:\n", yaml_scalar(name));
    for (const CascadeEinsum& e : cascade_.einsums)
      if (!passes(e)) out += layer(e);
    if (!edges) return out;
    find_makers();
    const std::string list = edges_text();
    return inputs_.empty() ? out + list : fmt::format("{}inputs: [{}]\n{}", out, fmt::join(inputs_, ", "), list);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all = cascade_.notes;
    std::vector<std::string> copies;
    for (const CascadeEinsum& e : cascade_.einsums)
      if (e.is_copy) copies.push_back(e.name);
    if (!copies.empty()) all.push_back(fmt::format("copies move nothing and are left out: {}", join(copies)));
    if (!apart_.empty())
      all.push_back(fmt::format("read as arrays of their own, for their shape is not that of what they are made of: {}",
                                join(std::vector<std::string>(apart_.begin(), apart_.end()))));
    return all;
  }

 private:
  static const std::string* role_of(const CascadeEinsum& e, const std::string& tensor) {
    static const std::string kWeight = "weight", kInput = "input";
    const auto weights = e.renames.find("weight");
    if (weights != e.renames.end()) return weights->second.contains(tensor) ? &kWeight : &kInput;
    return nullptr;
  }

  static std::string layer(const CascadeEinsum& e) {
    std::vector<std::string> operands, sizes, roles, bits;
    for (const TensorAccess& a : e.accesses) {
      if (!a.output) operands.push_back(access_text(a));
      const std::string* role = a.output ? nullptr : role_of(e, a.tensor);
      const std::string entry = role != nullptr ? fmt::format("{}: {}", a.tensor, *role) : "";
      if (role != nullptr && std::ranges::find(roles, entry) == roles.end()) roles.push_back(entry);
      const std::string size = a.bits ? fmt::format("{}: {}", a.tensor, *a.bits) : "";
      if (a.bits && std::ranges::find(bits, size) == bits.end()) bits.push_back(size);
    }
    for (const auto& [variable, size] : e.sizes) sizes.push_back(fmt::format("{}: {}", variable, size));
    std::string out = fmt::format("- {{name: {}, einsum: \"{} += {}\", sizes: {{{}}}", yaml_scalar(e.name),
                                  access_text(e.output()), fmt::join(operands, "*"), fmt::join(sizes, ", "));
    if (!roles.empty()) out += fmt::format(", roles: {{{}}}", fmt::join(roles, ", "));
    if (!bits.empty()) out += fmt::format(", word_bits: {{{}}}", fmt::join(bits, ", "));
    // Compute units tell Einsums by how many tensors they have.
    std::set<std::string> tensors;
    for (const TensorAccess& a : e.accesses) tensors.insert(a.tensor);
    if (tensors.size() == 2) out += ", operation: elementwise";
    if (e.instances > 1) out += fmt::format(", count: {}", e.instances);
    return out + "}\n";
  }

  // Finds the Einsum that makes each tensor. A copy's is that of what it copies, where both have the same shape.
  void find_makers() {
    for (std::size_t i = 0; i < cascade_.einsums.size(); ++i) {
      const CascadeEinsum& e = cascade_.einsums[i];
      const std::size_t output = at_output(e);
      if (!passes(e)) {
        made_.emplace(e.output().tensor, Place{i, output});
        continue;
      }
      const auto source = std::ranges::find_if(e.accesses, [](const TensorAccess& a) { return !a.output; });
      const bool alike = source != e.accesses.end() && same_shape(e, *source, e.output());
      const auto maker = alike ? made_.find(source->tensor) : made_.end();
      if (maker != made_.end()) made_.emplace(e.output().tensor, maker->second);
      if (maker != made_.end() && (!e.is_copy || through_.contains(source->tensor))) through_.insert(e.output().tensor);
      if (maker != made_.end()) continue;
      if (!e.is_copy && source != e.accesses.end()) apart_.insert(e.output().tensor);
      if (source != e.accesses.end() && made_.contains(source->tensor)) reshaped_.insert(e.output().tensor);
    }
  }

  static std::size_t at_output(const CascadeEinsum& e) {
    return static_cast<std::size_t>(std::ranges::find_if(e.accesses, &TensorAccess::output) - e.accesses.begin());
  }

  // Whether it is no layer: a copy, or one of those that are to be on edges.
  bool passes(const CascadeEinsum& e) const {
    const auto source = std::ranges::find_if(e.accesses, [](const TensorAccess& a) { return !a.output; });
    return e.is_copy || (on_edges_ && e.accesses.size() == 2 && same_shape(e, *source, e.output()));
  }

  static bool same_shape(const CascadeEinsum& e, const TensorAccess& a, const TensorAccess& b) {
    return std::ranges::equal(a.ranks, b.ranks, [&](const Projection& x, const Projection& y) {
      return extent(x, e.sizes) == extent(y, e.sizes) && x.terms == y.terms;
    });
  }

  const TensorAccess& at(const Place& place) const { return cascade_.einsums[place.einsum].accesses[place.access]; }

  std::string edges_text() {
    std::map<std::string, std::vector<Place>> readers;
    for (std::size_t i = 0; i < cascade_.einsums.size(); ++i) {
      const CascadeEinsum& e = cascade_.einsums[i];
      if (passes(e)) continue;
      for (std::size_t k = 0; k < e.accesses.size(); ++k)
        if (!e.accesses[k].output) readers[e.accesses[k].tensor].push_back({i, k});
    }
    std::string out;
    for (const auto& [tensor, places] : readers) {
      const auto maker = made_.find(tensor);
      if (reshaped_.contains(tensor)) apart_.insert(tensor);
      if (maker != made_.end() && maker->second.einsum < places.front().einsum) {
        for (const Place& place : places) {
          const auto ranks = ranks_text(maker->second, place);
          if (ranks) out += edge(cascade_.einsums[maker->second.einsum].name, place, *ranks);
          else apart_.insert(tensor);
        }
      } else if (maker == made_.end() && places.size() > 1) {
        out += input_edges(tensor, places);
      }
    }
    return out.empty() ? "" : "edges:\n" + out;
  }

  // An array from outside that several Einsums read.
  std::string input_edges(const std::string& tensor, const std::vector<Place>& places) {
    std::string name = tensor;
    const auto taken = [&](const CascadeEinsum& e) { return !passes(e) && e.name == name; };
    while (std::ranges::any_of(cascade_.einsums, taken)) name += "_in";
    std::string out = edge(name, places.front(), "");
    for (std::size_t i = 1; i < places.size(); ++i) {
      const auto ranks = ranks_text(places.front(), places[i]);
      if (!ranks) return apart_.insert(tensor), "";
      out += edge(name, places[i], *ranks);
    }
    inputs_.push_back(yaml_scalar(name));
    return out;
  }

  // Accesses of one tensor are called A, A#2, ..
  std::string edge(const std::string& from, const Place& to, const std::string& ranks) const {
    const CascadeEinsum& e = cascade_.einsums[to.einsum];
    std::size_t number = 1;
    for (std::size_t k = 0; k < to.access; ++k)
      number += !e.accesses[k].output && e.accesses[k].tensor == at(to).tensor ? 1 : 0;
    const std::string tensor = number == 1 ? at(to).tensor : fmt::format("{}#{}", at(to).tensor, number);
    return fmt::format("- {{from: {}, to: {}, tensor: {}{}{}}}\n", yaml_scalar(from), yaml_scalar(e.name),
                       yaml_scalar(tensor), ranks.empty() ? "" : fmt::format(", ranks: {{{}}}", ranks),
                       through_.contains(at(to).tensor) ? ", through: elementwise" : "");
  }

  // "m: p, n: e"; nothing where the reader's part of the tensor is no edge of ours.
  std::optional<std::string> ranks_text(const Place& maker, const Place& reader) const {
    const TensorAccess& made = at(maker);
    const TensorAccess& read = at(reader);
    const CascadeEinsum& from = cascade_.einsums[maker.einsum];
    const CascadeEinsum& to = cascade_.einsums[reader.einsum];
    if (made.ranks.size() != read.ranks.size()) return std::nullopt;
    std::vector<std::string> pairs;
    for (std::size_t k = 0; k < made.ranks.size(); ++k) {
      const Projection& left = made.ranks[k];
      const Projection& right = read.ranks[k];
      const u64 have = extent(left, from.sizes), need = extent(right, to.sizes);
      u64 window = 1, stride = 1;
      std::string slides;  // the variable of the reader's output
      for (const auto& [factor, variable] : right.terms) {
        if (indexes(to.output(), variable)) slides = variable, stride = factor;
        else window += factor * (to.sizes.at(variable) - 1);
      }
      if (right.terms.size() > 1 && slides.empty()) return std::nullopt;
      const std::string other = right.terms.size() == 1 ? right.terms[0].second : slides;
      const bool plain = right.is_plain();
      if (plain ? have != need : need > have + 2 * (window - 1) || have >= need + std::max<u64>(stride, window))
        return std::nullopt;
      if (have > 1 && left.terms.size() == 1) pairs.push_back(fmt::format("{}: {}", left.terms[0].second, other));
      if (left.terms.size() > 1) return std::nullopt;
    }
    return fmt::format("{}", fmt::join(pairs, ", "));
  }

  static bool indexes(const TensorAccess& access, const std::string& variable) {
    return std::ranges::any_of(access.ranks, [&](const Projection& rank) {
      return std::ranges::any_of(rank.terms, [&](const auto& term) { return term.second == variable; });
    });
  }

  Cascade cascade_;
  bool on_edges_;
  std::set<std::string> through_;  // tensors that are not what their maker makes, but made of it word by word
  std::map<std::string, Place> made_;
  std::vector<std::string> inputs_;
  std::set<std::string> reshaped_, apart_;  // copies of another shape; tensors whose readers stand alone
};

}  // namespace

Result<Network> read_workload(const YamlNode& root, const std::string& name, bool on_edges) {
  Result<Cascade> cascade = read_cascade(root);
  if (!cascade) return cascade.errors();
  const auto copy = [](const CascadeEinsum& e) { return e.is_copy; };
  if (std::ranges::all_of(cascade->einsums, copy)) return root.error("has no Einsum but copies, which move nothing");
  NetworkMaker maker(*std::move(cascade), on_edges);
  const auto read = [&](bool edges) -> Result<Network> {
    const std::string text = maker.text(name, edges);
    const Result<YamlNode> file = YamlNode::parse(text, root.file());
    return file ? network_from_yaml(*file, name) : Result<Network>(file.errors());
  };
  Result<Network> network = read(true);
  if (!network) {
    // An edge that ours cannot be: the layers stand alone, and it is said why.
    const std::string why = network.errors().front().message;
    network = read(false);
    if (network)
      network->notes.push_back(
          fmt::format("{}: read without what its Einsums pass to each other: {}", shortened(root.file()), why));
  }
  if (!network) {
    Diagnostics errors = network.errors();
    for (Diagnostic& error : errors) error.line = 0;  // lines of a text that nobody has seen
    return errors;
  }
  for (const std::string& note : maker.notes())
    network->notes.push_back(fmt::format("{}: {}", shortened(root.file()), note));
  return network;
}

Result<ReadOptions> with_parameters(const ReadOptions& options, const std::optional<std::string>& parameters,
                                    const std::string& file) {
  ReadOptions all = options;
  if (!parameters) return all;
  for (const std::string& entry : split(*parameters, ',')) {
    const std::size_t equals = entry.find('=');
    const std::string name(trim(std::string_view(entry).substr(0, equals)));
    const auto is_name = [](char c) { return is_letter(c) || is_digit(c); };
    if (equals == std::string::npos || name.empty() || !std::ranges::all_of(name, is_name))
      return Diagnostic{shortened(file + "@" + *parameters), 0, "",
                        fmt::format("'{}', must be NAME=VALUE, a parameter of the file's template", shortened(entry))};
    all.defines[name] = std::string(trim(std::string_view(entry).substr(equals + 1)));
  }
  return all;
}

}  // namespace heliolite::accelforge
