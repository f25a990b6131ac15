#pragma once
// Attributes of one component of a Timeloop file, and the arithmetic that they may be written in.
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// The value of a name; empty when it is unknown or has no value, `error` then says why.
using SymbolLookup = std::function<std::optional<double>(std::string_view name, std::string& error)>;

struct ExpressionResult {
  std::optional<double> value;
  std::string error;  // one clause, without a place; set when there is no value
};

// Numbers, names (dots allowed), + - * / // % ** ( ) with Python's precedence and rounding, and the functions
// min max ceil floor round abs int float log2 log10 pow sqrt (also with "math." before them). Anything else, a
// division by zero, a value that is not finite and nesting beyond 64 levels are errors; nothing throws.
ExpressionResult evaluate_expression(std::string_view text, const SymbolLookup& lookup);

// Reads the attributes of one component of a Timeloop file: the spellings that Timeloop reads, several names for one
// thing, attributes inherited from containers, values that are expressions over other attributes and the file's
// variables. An attribute that no reader asks for is listed, so that nothing a file says is silently ignored: Timeloop
// passes over it, and often it is an estimator's.

// The names that one attribute goes by.
using Spellings = std::initializer_list<std::string_view>;

// One attribute, shared between a container and the components that inherit it.
struct TimeloopAttribute {
  YamlNode node;
  int line = 0;       // of its key
  bool used = false;  // understood by a component, or read by an expression
  // What its name means in the containers around, which is what its own value means by it: datawidth: datawidth.
  std::shared_ptr<TimeloopAttribute> outer{};
};

// [name, with underscores where Timeloop reads hyphens, too].
using TimeloopAttributes = std::map<std::string, std::shared_ptr<TimeloopAttribute>, std::less<>>;

// Says of the attributes that are in `around`, too, that this is what they hide.
void hide(const TimeloopAttributes& around, TimeloopAttributes& attributes);

// An attribute that nothing here reads.
struct UnreadAttribute {
  std::string name, owner;
  std::string file;
  int line = 0;
  std::string hint;  // ", did you mean 'depth'?", or what Timeloop reads in its place; may be empty
};
using UnreadAttributes = std::vector<UnreadAttribute>;

// "'a' of X (f.yaml:3), 'b' of Y and 2 more (f.yaml:7), did you mean 'c'?": each name once, in the order of `unread`.
std::string listed(const UnreadAttributes& unread);

// The entries of `map` without those named in `skip`; none if it is null. Names that Timeloop reads with hyphens or
// underscores (block-size) get underscores, all others stay as they are: Timeloop passes over another spelling of them.
// Complains about two spellings of one name with different values.
TimeloopAttributes read_attributes(const YamlNode& map, Spellings skip, Diagnostics& errors);

// Whether a value says nothing: null, an empty list or map, false, 0, and "none".
bool says_nothing(const YamlNode& node);

// The number a scalar stands for: itself, or the value of the expression it is, whose names are `attributes` (also as
// attributes.name) and then `variables`. `of`: the attribute whose value it is, if it is one's. Complains when it has
// none.
std::optional<double> number_of(const YamlNode& node, const TimeloopAttributes& attributes,
                                const TimeloopAttributes& variables, Diagnostics& errors,
                                const TimeloopAttribute* of = nullptr);

// Reads the attributes of one component. Every read takes all the names an attribute goes by, complains when two of
// them are given that differ, and returns empty after complaining.
class AttributeReader {
 public:
  // `owner` and `place` name the component in messages; own attributes go before inherited ones.
  AttributeReader(const YamlNode& place, std::string owner, TimeloopAttributes own, const TimeloopAttributes& inherited,
                  const TimeloopAttributes& variables, Diagnostics& errors);

  const YamlNode& place() const { return place_; }
  const std::string& owner() const { return owner_; }

  // The value of an attribute as it is written, as a number or integer in [low, high], as text.
  std::optional<YamlNode> node(Spellings names);
  std::optional<double> number(Spellings names, double low, double high);
  std::optional<u64> integer(Spellings names, u64 low, u64 high);
  std::optional<std::string> string(Spellings names);

  // Whether the component, or a container around it, has an attribute of one of these names.
  bool has(Spellings names) const;
  // Accepts an attribute that has no consequence for a dense model.
  void ignore(Spellings names);
  // Complains, with the reason, about an attribute that is not modelled, unless its value says nothing.
  void refuse(Spellings names, std::string_view why);
  // Adds the component's own attributes that no function above was asked for.
  void list_unread(UnreadAttributes& list) const;
  // Complains about them: where they are no business of estimators.
  void finish();
  // All names that were asked for.
  const std::vector<std::string>& known() const { return known_; }

  void error(std::string message);  // at the component

 private:
  std::shared_ptr<TimeloopAttribute> find(Spellings names);
  void complain(const TimeloopAttribute& attribute, std::string message);

  YamlNode place_;
  std::string owner_;
  TimeloopAttributes all_;
  TimeloopAttributes own_;
  const TimeloopAttributes& variables_;
  Diagnostics& errors_;
  std::vector<std::string> known_;
  std::vector<std::string> harmless_;  // known, but of no use as advice
};

}  // namespace heliolite
