#pragma once
// The expressions of AccelForge's files: sets of tensors ("~(input | output)", "All if len(All) == 3 else Nothing") and
// numbers ("1024*64*8", "weight.bits_per_value if weight else 0").
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/result.h"

namespace heliolite::accelforge {

using NameSet = std::set<std::string>;
using ExpressionValue = std::variant<NameSet, double>;  // truths are 0 and 1

// What names stand for; "name.attribute" is a name of its own.
struct ExpressionScope {
  NameSet all;  // what ~ is taken against
  std::map<std::string, ExpressionValue, std::less<>> names;
};

// Names, numbers, inf, True, False; ~ & | - of sets; + - * / // % ** of numbers; comparisons, and, or, not, x if c else
// y; len() of a set, min max ceil floor round int float abs sqrt log2 of numbers; "Inputs()" is Inputs. A set where a
// truth is asked for is true when it has something. Errors are one clause without a place.
Result<ExpressionValue> evaluate_expression(std::string_view text, const ExpressionScope& scope);

// The value, which must be a set, or a number; inf is one.
Result<NameSet> evaluate_set(std::string_view text, const ExpressionScope& scope);
Result<double> evaluate_number(std::string_view text, const ExpressionScope& scope);

}  // namespace heliolite::accelforge
