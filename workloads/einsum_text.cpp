#include "workloads/einsum_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/text_cursor.h"

namespace heliolite {
namespace {

std::vector<std::string> names_of(std::span<const Dimension> dimensions) {
  std::vector<std::string> names;
  for (const Dimension& d : dimensions) names.push_back(d.name);
  return names;
}

// Recursive descent; the first syntax error ends it, complaints about sizes are collected.
class EinsumParser {
 public:
  EinsumParser(std::string_view text, std::span<const std::string_view> order) : cursor_(text) {
    for (const std::string_view name : order) workload_.dimensions.push_back({std::string(name), 0});
  }
  // Ranks only, over dimensions that exist already.
  EinsumParser(std::string_view text, std::span<const Dimension> dimensions) : cursor_(text), known_only_(true) {
    workload_.dimensions.assign(dimensions.begin(), dimensions.end());
  }

  Result<Workload> formula() {
    // output += tensor * tensor ..
    Tensor output;
    if (!tensor(output)) return errors_;
    output.role = Role::Output;
    if (!assignment()) return errors_;
    do {
      Tensor input;
      if (!tensor(input)) return errors_;
      workload_.tensors.push_back(std::move(input));
    } while (cursor_.take("*"));
    workload_.tensors.push_back(std::move(output));
    // ; sizes
    if (cursor_.take(";")) sizes();
    if (errors_.empty() && !cursor_.at_end()) {
      fail(fmt::format("expected '*' and another tensor, or ';' and the sizes, found {}", cursor_.found()));
    }
    if (!errors_.empty()) return errors_;
    link_accesses(workload_);
    return std::move(workload_);
  }

  Result<Rank> rank_alone() {
    Rank result;
    if (rank(result) && !cursor_.at_end()) fail(fmt::format("expected '+' or the end, found {}", cursor_.found()));
    if (!errors_.empty()) return errors_;
    return result;
  }

 private:
  bool fail(std::string message) {
    errors_.push_back(cursor_.error(std::move(message)));
    return false;
  }

  bool assignment() {
    if (cursor_.take("+=") || cursor_.take("=")) return true;
    if (cursor_.take(",")) return fail("a second output; an Einsum has exactly one");
    return fail(fmt::format("expected '+=' after the output, found {}", cursor_.found()));
  }

  bool tensor(Tensor& tensor) {
    const auto name = cursor_.identifier();
    if (!name) return fail(fmt::format("expected a tensor like a[i,k], found {}", cursor_.found()));
    tensor.name = *name;
    if (!cursor_.take("[")) {
      return fail(fmt::format("expected '[' after tensor {}, found {}", shortened(*name), cursor_.found()));
    }
    if (cursor_.take("]")) return true;  // one word
    do {
      Rank& rank_here = tensor.ranks.emplace_back();
      if (!rank(rank_here)) return false;
    } while (cursor_.take(","));
    if (cursor_.take("]")) return true;
    return fail(fmt::format("expected ',', '+' or ']' in tensor {}, found {}", tensor.name, cursor_.found()));
  }

  bool rank(Rank& rank) {
    do {
      Term& term_here = rank.terms.emplace_back();
      if (!term(term_here)) return false;
    } while (cursor_.take("+"));
    return true;
  }

  // p, 2*p or p*2
  bool term(Term& term) {
    std::size_t column = cursor_.column();
    const auto before = cursor_.digits();
    if (before && !cursor_.take("*")) {
      return fail(
          fmt::format("expected '*' and a dimension after the factor {} (constant offsets are not supported), found {}",
                      shortened(before->text), cursor_.found()));
    }
    if (before && !coefficient(*before, column, term)) return false;
    if (!dimension(term)) return false;
    if (before || !cursor_.take("*")) return true;
    column = cursor_.column();
    const auto after = cursor_.digits();
    if (!after) return fail(fmt::format("expected a factor (a positive integer), found {}", cursor_.found()));
    return coefficient(*after, column, term);
  }

  bool coefficient(const Digits& digits, std::size_t column, Term& term) {
    term.coefficient = digits.value;
    if (digits.value >= 1 && digits.value <= kMaxCoefficient) return true;
    errors_.push_back(cursor_.error_at(
        column, fmt::format("factor {}, must be an integer from 1 to {}", shortened(digits.text), kMaxCoefficient)));
    return false;
  }

  bool dimension(Term& term) {
    const std::size_t column = cursor_.column();
    const auto name = cursor_.identifier();
    if (!name) {
      return fail(fmt::format("expected a dimension, like p or 2*p, found {}{}", cursor_.found(),
                              cursor_.found() == "'-'" ? "; factors are positive" : ""));
    }
    const std::optional<int> known = workload_.find_dimension(*name);
    if (!known && known_only_) {
      const std::vector<std::string> names = names_of(workload_.dimensions);
      const std::string hint = did_you_mean(*name, names);
      errors_.push_back(
          cursor_.error_at(column, fmt::format("unknown dimension '{}'{}", shortened(*name),
                                               hint.empty() ? ", must be one of " + join(names, "or") : hint)));
      return false;
    }
    term.dimension = known.value_or(static_cast<int>(workload_.dimensions.size()));
    if (!known) workload_.dimensions.push_back({std::string(*name), 0});
    return true;
  }

  // i=256, j=32 (commas, semicolons or spaces between)
  void sizes() {
    while (!cursor_.at_end()) {
      const std::size_t column = cursor_.column();
      const auto name = cursor_.identifier();
      if (!name || !cursor_.take("=")) {
        fail(fmt::format("expected a size like i=256, found {}", cursor_.found()));
        return;
      }
      size(*name, column);
      while (cursor_.take(",") || cursor_.take(";")) continue;
    }
  }

  void size(std::string_view name, std::size_t column) {
    const std::size_t value_column = cursor_.column();
    const std::string_view text = cursor_.value();
    TextCursor value(text);
    const auto digits = value.digits();
    const std::optional<int> known = workload_.find_dimension(name);
    if (!known) {
      const std::vector<std::string> names = names_of(workload_.dimensions);
      const std::string hint = did_you_mean(name, names);
      errors_.push_back(
          cursor_.error_at(column, fmt::format("unknown dimension '{}'{}", shortened(name),
                                               hint.empty() ? ", must be one of " + join(names, "or") : hint)));
    } else if (!digits || !value.at_end() || digits->value < 1 || digits->value > kMaxDimensionSize) {
      errors_.push_back(cursor_.error_at(value_column, fmt::format("{} = {}, must be an integer from 1 to {}", name,
                                                                   shortened(text), kMaxDimensionSize)));
      workload_.dimensions[at(*known)].size = 1;
    } else if (u64& size = workload_.dimensions[at(*known)].size; size != 0) {
      errors_.push_back(cursor_.error_at(column, fmt::format("a second size for dimension {}", name)));
    } else {
      size = digits->value;
    }
  }

  TextCursor cursor_;
  bool known_only_ = false;
  Workload workload_;
  Diagnostics errors_;
};

}  // namespace

Result<Workload> parse_formula(std::string_view text, std::span<const std::string_view> order) {
  if (text.size() > kLongestText) {
    return Diagnostic{shortened(text), 0, "", fmt::format("longer than {} characters", kLongestText)};
  }
  return EinsumParser(text, order).formula();
}

Result<Workload> parse_einsum(std::string_view text) {
  Result<Workload> parsed = parse_formula(text);
  if (!parsed) return parsed;
  Diagnostics errors;
  for (const Dimension& d : parsed->dimensions) {
    if (d.size != 0) continue;
    errors.push_back({shortened(text), 0, "",
                      fmt::format("no size for dimension {}; sizes follow the formula: \"; {}=64\"", d.name, d.name)});
  }
  if (!errors.empty()) return errors;
  infer_roles(*parsed);
  parsed->name = "einsum";
  errors = check(*parsed);
  for (Diagnostic& error : errors) error.file = shortened(text);
  if (!errors.empty()) return errors;
  return parsed;
}

Result<Rank> parse_rank(std::string_view text, std::span<const Dimension> dimensions) {
  if (text.size() > kLongestText) {
    return Diagnostic{shortened(text), 0, "", fmt::format("longer than {} characters", kLongestText)};
  }
  return EinsumParser(text, dimensions).rank_alone();
}

}  // namespace heliolite
