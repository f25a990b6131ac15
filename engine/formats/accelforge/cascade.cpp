#include "engine/formats/accelforge/cascade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/field_reader.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::accelforge {
namespace {

constexpr std::size_t kMaxEinsums = 10'000;
constexpr double kMaxSize = 2'147'483'647;  // as of any dimension

bool is_plain_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// The parts of a text at a separator that stands outside of brackets.
std::vector<std::string> outside_brackets(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth == 0 && separators.find(c) != std::string_view::npos) parts.emplace_back();
    else parts.back() += c;
  }
  for (std::string& part : parts) part = std::string(trim(part));
  return parts;
}

// Lists in lists, as templates put them in, are one list.
void flatten(const YamlNode& node, std::vector<YamlNode>& out) {
  if (!node.is_sequence()) return out.push_back(node);
  for (const YamlNode& element : elements(node)) flatten(element, out);
}

// The names of the sets that an expression may use for an Einsum: All, Nothing, Inputs, Outputs, Intermediates, its
// tensors, and what `renames` give.
ExpressionScope scope_of(const CascadeEinsum& einsum, const NameSet& intermediates, const NameSet& all_tensors) {
  ExpressionScope scope;
  NameSet inputs, outputs, between;
  for (const std::string& tensor : all_tensors) scope.names[tensor] = NameSet{};
  for (const TensorAccess& a : einsum.accesses) {
    scope.all.insert(a.tensor);
    (a.output ? outputs : inputs).insert(a.tensor);
    if (intermediates.contains(a.tensor)) between.insert(a.tensor);
    scope.names[a.tensor] = NameSet{a.tensor};
  }
  scope.names["All"] = scope.all;
  scope.names["Nothing"] = NameSet{};
  scope.names["Inputs"] = inputs;
  scope.names["Outputs"] = outputs;
  scope.names["Intermediates"] = between;
  for (const auto& [name, set] : einsum.renames) scope.names[name] = set;
  return scope;
}

class CascadeReader {
 public:
  explicit CascadeReader(const YamlNode& root) : root_(root) {}

  Result<Cascade> run() {
    const auto workload = root_.find("workload");
    if (!workload || !workload->is_map())
      return root_.error("has renames and no 'workload': a file for others to include");
    MapReader reader(*workload, errors_);
    const auto sizes = reader.child("rank_sizes"), shape = reader.child("iteration_space_shape"),
               old_shape = reader.child("shape"), bits = reader.child("bits_per_value");
    const auto einsums = reader.required_child("einsums");
    reader.ignore("persistent_tensors");  // where a tensor without a limit of room stays makes no difference
    reader.ignore("version");
    reader.ignore("name");
    reader.finish();
    if (!einsums) return errors_;
    if (sizes) rank_sizes(*sizes);
    for (const auto& node : {shape, old_shape})
      if (node) bounds(*node, shape_);
    std::vector<YamlNode> list;
    flatten(*einsums, list);
    if (list.empty() || list.size() > kMaxEinsums)
      return einsums->error(fmt::format("{} Einsums, must be 1 to {}", list.size(), kMaxEinsums));
    for (const YamlNode& node : list) einsum(node);
    if (!errors_.empty()) return errors_;
    kinds();
    for (CascadeEinsum& e : cascade_.einsums) {
      settle_sizes(e);
      settle_renames(e);
      if (bits) settle_bits(e, *bits);
    }
    if (!errors_.empty()) return errors_;
    return std::move(cascade_);
  }

 private:
  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }

  // Sizes may be expressions over other ranks: those that can be worked out first.
  void rank_sizes(const YamlNode& node) {
    if (!node.is_map()) return complain(node, "must be a map of ranks and their sizes");
    ExpressionScope scope;
    std::vector<std::string> open = node.keys();
    for (bool progress = true; progress && !open.empty();) {
      progress = false;
      std::erase_if(open, [&](const std::string& rank) {
        const Result<double> value = evaluate_number(node.find(rank)->text(), scope);
        if (!value) return false;
        progress = true;
        if (const auto size = whole(*node.find(rank), *value, kMaxSize)) {
          rank_sizes_[rank] = *size;
          scope.names[rank] = *value;
        }
        return true;
      });
    }
    for (const std::string& rank : open)
      complain(*node.find(rank), evaluate_number(node.find(rank)->text(), scope).errors().front().message);
  }

  std::optional<u64> whole(const YamlNode& node, double value, double most) {
    if (value >= 1 && value <= most && value == std::floor(value)) return static_cast<u64>(value);
    complain(node, fmt::format("{}, must be an integer from 1 to {}", shortened(node.text()), most));
    return std::nullopt;
  }

  // {m: "0 <= m < 128"} or ["0 <= r0 < 3", ..].
  void bounds(const YamlNode& node, std::map<std::string, u64>& out) {
    std::vector<YamlNode> texts;
    if (node.is_map())
      for (const std::string& key : node.keys()) texts.push_back(*node.find(key));
    else texts = elements(node);
    for (const YamlNode& text : texts) bound(text, out);
  }
  void bound(const YamlNode& node, std::map<std::string, u64>& out) {
    const std::string& text = node.text();
    const std::size_t first = text.find("<="), second = text.find('<', first == std::string::npos ? 0 : first + 2);
    const auto bad = [&] { complain(node, fmt::format("'{}', must be like 0 <= m < 128", shortened(text))); };
    if (first == std::string::npos || second == std::string::npos) return bad();
    const std::string variable(trim(std::string_view(text).substr(first + 2, second - first - 2)));
    const bool inclusive = text.substr(second).starts_with("<=");
    const ExpressionScope nothing;
    const Result<double> low = evaluate_number(trim(std::string_view(text).substr(0, first)), nothing);
    const Result<double> high =
        evaluate_number(trim(std::string_view(text).substr(second + (inclusive ? 2 : 1))), nothing);
    if (!is_plain_name(variable) || !low || !high || *low != 0) return bad();
    const auto size = whole(node, *high + (inclusive ? 1 : 0), kMaxSize);
    if (!size) return;
    const auto [it, fresh] = out.emplace(variable, *size);
    if (!fresh) it->second = std::min(it->second, *size);
  }

  void einsum(const YamlNode& node) {
    CascadeEinsum e{.name = {}, .node = node, .accesses = {}, .sizes = {}, .renames = {}};
    if (node.is_scalar()) {
      formula(node, e);
    } else {
      MapReader reader(node, errors_);
      if (const auto text = reader.child("einsum")) formula(*text, e);
      if (const auto name = reader.string("name")) e.name = *name;
      if (const auto list = reader.child("tensor_accesses"))
        for (const YamlNode& access : elements(list)) tensor_access(access, e);
      if (const auto shape = reader.child("iteration_space_shape")) bounds(*shape, e.sizes);
      e.is_copy = reader.boolean("is_copy_operation").value_or(false);
      e.instances = static_cast<u64>(reader.integer("n_instances", 1, 1'000'000).value_or(1));
      reader.ignore("renames");
      reader.finish();
    }
    // A word that an Einsum takes twice is one access: DX + DX reads DX once.
    for (std::size_t i = 1; i < e.accesses.size();) {
      const auto same = [&](const TensorAccess& a) {
        return a.tensor == e.accesses[i].tensor && a.output == e.accesses[i].output && a.ranks == e.accesses[i].ranks;
      };
      const auto before = e.accesses.begin() + i;
      if (std::find_if(e.accesses.begin(), before, same) != before) e.accesses.erase(before);
      else ++i;
    }
    const auto outputs = std::ranges::count_if(e.accesses, &TensorAccess::output);
    if (outputs != 1) {
      if (errors_.empty())
        complain(node,
                 fmt::format("{} outputs, must be one (Einsums of several outputs have no counterpart)", outputs));
      return;
    }
    if (e.name.empty()) e.name = e.output().tensor;
    if (e.name.find_first_of("/@,;()[]") != std::string::npos)
      complain(node, fmt::format("name '{}' has one of / @ , ; ( ) [ ]", shortened(e.name)));
    const auto same = [&](const CascadeEinsum& other) { return other.name == e.name; };
    if (std::ranges::any_of(cascade_.einsums, same)) complain(node, fmt::format("a second Einsum '{}'", e.name));
    cascade_.einsums.push_back(std::move(e));
  }

  // "Z[b, m, g] = AV[b, m, H: p * 2 + r] * WZ[h, f, g]".
  void formula(const YamlNode& node, CascadeEinsum& e) {
    const std::string& text = node.text();
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return complain(node, fmt::format("'{}' has no '='", shortened(text)));
    e.accesses.push_back(access_of(node, trim(std::string_view(text).substr(0, equals)), true));
    for (const std::string& operand : outside_brackets(std::string_view(text).substr(equals + 1), "*+"))
      e.accesses.push_back(access_of(node, operand, false));
  }

  TensorAccess access_of(const YamlNode& node, std::string_view text, bool output) {
    TensorAccess access{.tensor = {}, .ranks = {}, .bits = {}, .output = output};
    const std::size_t open = text.find('[');
    access.tensor = std::string(trim(text.substr(0, open)));
    if (!is_plain_name(access.tensor) || open == std::string_view::npos || !text.ends_with(']')) {
      complain(node, fmt::format("'{}', must be like {}[m, n]", shortened(text), output ? "Z" : "A"));
      return access;
    }
    for (const std::string& item : outside_brackets(text.substr(open + 1, text.size() - open - 2), ",")) {
      const std::size_t colon = item.find(':');
      if (item.empty()) continue;
      const std::string rank(colon == std::string::npos ? "" : trim(std::string_view(item).substr(0, colon)));
      access.ranks.push_back(
          projection(node, rank, colon == std::string::npos ? item : std::string(trim(item.substr(colon + 1)))));
    }
    return access;
  }

  void tensor_access(const YamlNode& node, CascadeEinsum& e) {
    MapReader reader(node, errors_);
    TensorAccess access;
    access.tensor = reader.required_string("name").value_or("");
    access.output = reader.boolean("output").value_or(false);
    if (const auto bits = reader.child("bits_per_value"))
      access.bits = read_word_length(*bits, "bits_per_value", errors_);
    if (const auto ranks = reader.required_child("projection")) {
      if (ranks->is_map())
        for (const std::string& rank : ranks->keys())
          access.ranks.push_back(projection(*ranks->find(rank), rank, ranks->find(rank)->text()));
      else
        for (const YamlNode& variable : elements(ranks))
          access.ranks.push_back(projection(variable, "", variable.text()));
    }
    reader.finish();
    if (!is_plain_name(access.tensor))
      complain(node, fmt::format("'{}' is no name of letters and digits", shortened(access.tensor)));
    e.accesses.push_back(std::move(access));
  }

  // Without a name a rank is called like its variable, in capitals.
  Projection projection(const YamlNode& node, std::string rank, const std::string& text) {
    Projection out{.rank = std::move(rank), .terms = {}};
    for (const std::string& term : outside_brackets(text, "+")) {
      u64 factor = 1;
      std::string variable;
      bool good = true;
      for (const std::string& part : outside_brackets(term, "*")) {
        if (const auto number = parse_number<u64>(part); number && *number >= 1 && *number <= 1'000'000)
          good = good && factor <= 1'000'000, factor *= *number;
        else if (variable.empty() && is_plain_name(part)) variable = part;
        else good = false;
      }
      if (!good || variable.empty() || factor > 1'000'000) {
        complain(node,
                 fmt::format("'{}', must be a sum of rank variables with factors, like p * 2 + r", shortened(text)));
        return out;
      }
      out.terms.emplace_back(factor, variable);
    }
    if (out.rank.empty()) {
      if (out.is_plain()) out.rank = upper(out.terms[0].second);
      else complain(node, fmt::format("'{}' needs the name of its rank, like H: {}", shortened(text), shortened(text)));
    }
    return out;
  }

  // Tensors that one Einsum makes and another reads.
  void kinds() {
    NameSet made, read;
    for (const CascadeEinsum& e : cascade_.einsums)
      for (const TensorAccess& a : e.accesses) (a.output ? made : read).insert(a.tensor), tensors_.insert(a.tensor);
    std::ranges::set_intersection(made, read, std::inserter(intermediates_, intermediates_.end()));
  }

  void settle_sizes(CascadeEinsum& e) {
    const auto at_most = [&](const std::string& variable, u64 size) {
      const auto [it, fresh] = e.sizes.emplace(variable, size);
      if (!fresh) it->second = std::min(it->second, size);
    };
    NameSet variables;
    for (const TensorAccess& a : e.accesses)
      for (const Projection& rank : a.ranks) {
        for (const auto& [_, variable] : rank.terms) variables.insert(variable);
        const auto size = rank_sizes_.find(rank.rank);
        if (rank.is_plain() && size != rank_sizes_.end()) at_most(rank.terms[0].second, size->second);
      }
    for (const std::string& variable : variables) {
      if (const auto size = shape_.find(variable); size != shape_.end()) at_most(variable, size->second);
      if (!e.sizes.contains(variable))
        complain(e.node, fmt::format("{}: no size for rank variable '{}': give rank_sizes of {}, or "
                                     "iteration_space_shape '0 <= {} < SIZE'",
                                     e.name, variable, upper(variable), variable));
    }
    std::erase_if(e.sizes, [&](const auto& entry) { return !variables.contains(entry.first); });
  }

  void settle_renames(CascadeEinsum& e) {
    std::map<std::string, YamlNode> own;
    if (e.node.is_map()) own = named_expressions(e.node.find("renames"));
    ExpressionScope scope = scope_of(e, intermediates_, tensors_);
    const auto give = [&](const std::string& name, const YamlNode& text, const std::optional<YamlNode>& count) {
      const Result<NameSet> set = evaluate_set(text.text(), scope);
      if (!set) return complain(text, fmt::format("{}: {}", e.name, set.errors().front().message));
      if (count) {
        const Result<double> expected = evaluate_number(count->text(), scope);
        if (!expected) return complain(*count, expected.errors().front().message);
        if (!e.is_copy && static_cast<double>(set->size()) != *expected)
          complain(text, fmt::format("{}: '{}' is {} tensors of {}, expected_count is {}: give the Einsum "
                                     "renames of its own",
                                     e.name, name, set->size(), join(names_of(scope.all)), *expected));
      }
      e.renames[name] = *set;
      scope.names[name] = *set;
    };
    for (const auto& [name, text] : own) give(name, text, std::nullopt);
    for (const YamlNode& rename : default_renames(e.name)) {
      const auto name = rename.find("name"), source = rename.find("source");
      if (!name || !source) {
        complain(rename, "must have 'name' and 'source'");
        continue;
      }
      if (!own.contains(name->text())) give(name->text(), *source, rename.find("expected_count"));
    }
  }

  static std::vector<std::string> names_of(const NameSet& set) { return {set.begin(), set.end()}; }

  // {input: Q}, or a list of {name, source}.
  static std::map<std::string, YamlNode> named_expressions(const std::optional<YamlNode>& node) {
    std::map<std::string, YamlNode> out;
    if (!node) return out;
    if (node->is_map())
      for (const std::string& key : node->keys()) out.emplace(key, *node->find(key));
    else
      for (const YamlNode& entry : elements(node))
        if (const auto name = entry.find("name"), source = entry.find("source"); name && source)
          out.emplace(name->text(), *source);
    return out;
  }

  // Those of the Einsum's name, before those of `default`.
  std::vector<YamlNode> default_renames(const std::string& einsum) const {
    std::vector<YamlNode> own, common;
    const auto renames = root_.find("renames");
    for (const YamlNode& entry : elements(renames ? renames->find("einsums") : std::nullopt)) {
      const auto name = entry.find("name");
      if (!name || (name->text() != einsum && name->text() != "default")) continue;
      auto& list = name->text() == "default" ? common : own;
      for (const YamlNode& access : elements(entry.find("tensor_accesses"))) list.push_back(access);
    }
    own.insert(own.end(), common.begin(), common.end());
    return own;
  }

  // {All: 8, "weight": 4, Other: 16}: Other are the tensors that no other key names.
  void settle_bits(CascadeEinsum& e, const YamlNode& bits) {
    if (!bits.is_map()) return complain(bits, "must be a map of tensors and bits");
    ExpressionScope scope = scope_of(e, intermediates_, tensors_);
    std::map<std::string, std::pair<WordLength, std::string>> found;
    const auto give = [&](const NameSet& set, const YamlNode& node, const std::string& key) {
      const Result<double> value = evaluate_number(node.text(), {});
      // The shortest text of a double is the decimal fraction that was written, or worked out.
      const auto size = value ? parse_word_length(fmt::format("{}", *value)) : std::nullopt;
      if (!value) complain(node, value.errors().front().message);
      else if (!size) complain(node, fmt::format("{} bits, must be {}", *value, word_lengths_allowed()));
      if (!size) return;
      for (const std::string& tensor : set) {
        const auto [it, fresh] = found.emplace(tensor, std::pair(*size, key));
        if (!fresh && it->second.first != *size)
          complain(node, fmt::format("tensor {} has {} bits by '{}' and {} by '{}'", tensor, it->second.first,
                                     it->second.second, *size, key));
      }
    };
    for (const std::string& key : bits.keys()) {
      if (key == "Other") continue;
      const Result<NameSet> set = evaluate_set(key, scope);
      if (set) give(*set, *bits.find(key), key);
      else complain(*bits.find(key), set.errors().front().message);
    }
    if (const auto other = bits.find("Other")) {
      NameSet rest = scope.all;
      for (const auto& [tensor, _] : found) rest.erase(tensor);
      give(rest, *other, "Other");
    }
    for (TensorAccess& a : e.accesses)
      if (const auto it = found.find(a.tensor); it != found.end() && !a.bits) a.bits = it->second.first;
  }

  const YamlNode& root_;
  Diagnostics errors_;
  Cascade cascade_;
  std::map<std::string, u64> rank_sizes_, shape_;
  NameSet intermediates_, tensors_;
};

}  // namespace

const TensorAccess& CascadeEinsum::output() const { return *std::ranges::find_if(accesses, &TensorAccess::output); }

u64 extent(const Projection& rank, const std::map<std::string, u64>& sizes) {
  u64 sum = 1;
  for (const auto& [factor, variable] : rank.terms) sum += factor * (sizes.at(variable) - 1);
  return sum;
}

Result<Cascade> read_cascade(const YamlNode& root) { return CascadeReader(root).run(); }

}  // namespace heliolite::accelforge
