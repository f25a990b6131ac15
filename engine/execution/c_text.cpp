// The pieces of an emitted program, and the loops of a nest in C.
#include "engine/execution/c_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <optional>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"

namespace heliolite {

std::string CNames::unique(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  // Names that begin with an underscore belong to the language.
  if (text.empty() || text.front() == '_' || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = "v" + text;
  // Neither the language, nor its headers, nor the emitted program have names that end so; letters alone are free, but
  // for those of the program.
  if (text.size() > 1 || taken_.contains(text)) text += '_';
  while (!taken_.insert(text).second) text += '_';
  return text;
}

CNest::CNest(const LoopNest& nest, const EmitOptions& options) : nest_(nest), options_(options) {
  CNames names;
  for (const MemoryArray& array : nest.arrays) arrays_.push_back(names.unique(array.name));
  for (std::size_t a = 0; a < nest.arrays.size(); ++a)
    if (nest.arrays[a].is_output) expected_ = names.unique(nest.arrays[a].name + "_expected");
  for (const LoopVariable& v : nest.variables) {
    std::string lower = v.name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    variables_.push_back(names.unique(lower));
  }
}

std::string CNest::tile(const LoopNestPart& part, std::size_t i) const {
  const u8 variable = part.loops[i].variable;
  const auto inner = std::count_if(part.loops.begin() + i, part.loops.end(),
                                   [&](const BoxLoop& l) { return l.variable == variable && l.step > 1; });
  return fmt::format("{}_{}", variables_[variable], inner);
}

std::string CNest::dimension(int d, const std::vector<std::string>& value) const {
  std::string sum;
  for (std::size_t v = 0; v < nest_.variables.size(); ++v) {
    if (nest_.variables[v].dimension != d || value[v] == "0") continue;
    if (!sum.empty()) sum += " + ";
    sum += nest_.variables[v].factor == 1 ? value[v] : fmt::format("{} * {}", nest_.variables[v].factor, value[v]);
  }
  return sum.empty() ? "0" : sum;
}

std::vector<std::string> CNest::subscripts(const NestAccess& access, const std::vector<std::string>& value) const {
  std::vector<std::string> result;
  for (const Rank& rank : nest_.workload.tensors[access.tensor].ranks) {
    std::string sum;
    for (const Term& term : rank.terms) {
      std::string text = dimension(term.dimension, value);
      if (text == "0") continue;
      if (term.coefficient != 1)
        text = text.find(' ') == std::string::npos ? fmt::format("{} * {}", term.coefficient, text)
                                                   : fmt::format("{} * ({})", term.coefficient, text);
      if (!sum.empty()) sum += " + ";
      sum += text;
    }
    result.push_back(sum.empty() ? "0" : sum);
  }
  if (result.empty()) result.emplace_back("0");
  return result;
}

std::string CNest::element(const std::vector<std::string>& subscripts) const {
  return fmt::format("[{}]{}", fmt::join(subscripts, "]["), options_.pad_bytes != 0 ? ".value" : "");
}

std::string CNest::extents(const MemoryArray& array) const {
  return array.extents.empty() ? "[1]" : fmt::format("[{}]", fmt::join(array.extents, "]["));
}

std::string CNest::number(const NestAccess& access, const std::vector<std::string>& value) const {
  const std::vector<std::string> at_rank = subscripts(access, value);
  const MemoryArray& array = nest_.arrays[access.array];
  std::string text = "(" + at_rank.front() + ")";
  for (std::size_t r = 1; r < array.extents.size(); ++r)
    text = fmt::format("({} * {} + {})", text, array.extents[r], at_rank[r]);
  return text;
}

void add_statement(CLines& out, const CNest& c, const std::vector<std::string>& value,
                   const std::vector<std::string>& operands) {
  const LoopNest& nest = c.nest();
  std::vector<std::string> guards;
  if (nest.guarded) {
    for (std::size_t d = 0; d < nest.workload.dimensions.size(); ++d) {
      const auto parts = std::ranges::count(nest.variables, static_cast<int>(d), &LoopVariable::dimension);
      if (parts > 1)
        guards.push_back(
            fmt::format("{} < {}", c.dimension(static_cast<int>(d), value), nest.workload.dimensions[d].size));
    }
  }
  if (!guards.empty()) out.open(fmt::format("if ({})", fmt::join(guards, " && ")));
  if (c.options().trace)
    for (const NestAccess& access : nest.accesses)
      out.line(fmt::format("touch(\"{}\", {}, '{}');", nest.arrays[access.array].name, c.number(access, value),
                           access.is_output ? 'w' : 'r'));
  const std::vector<std::string> inputs(operands.begin(), operands.end() - 1);
  out.line(fmt::format("{} += {};", operands.back(), fmt::join(inputs, " * ")));
  if (!guards.empty()) out.close();
}

// The loops of a nest in C.

namespace {

// Writes the loops of one part.
class PartWriter {
 public:
  PartWriter(CLines& out, const CNest& c, const LoopNestPart& part) : out_(out), c_(c), nest_(c.nest()), part_(part) {
    if (c.options().pack) packing_.emplace(c, part);
    for (const LoopRange& r : part.range) {
      low_.push_back(std::to_string(r.begin));
      high_.push_back(std::to_string(r.end));
      extent_.push_back(r.end - r.begin);
    }
  }

  void write() {
    if (packing_) packing_->declare(out_);
    load_behind(-1);
    loop(0);
    store_behind(-1);
  }

 private:
  void loop(std::size_t i) {
    if (i == part_.loops.size()) return statement();
    const BoxLoop& l = part_.loops[i];
    const std::string low = low_[l.variable], high = high_[l.variable];
    const u32 extent = extent_[l.variable];
    const std::string x = l.step == 1 ? c_.variable(l.variable) : c_.tile(part_, i);
    if (const std::string level = level_name(i); !level.empty()) out_.line("/* " + level + " */");
    pragma(i);
    out_.open(fmt::format("for (long {0} = {1}; {0} < {2}; {3})", x, low, high,
                          l.step == 1 ? "++" + x : fmt::format("{} += {}", x, l.step)));
    low_[l.variable] = x;
    high_[l.variable] = fmt::format("{} + {}", x, l.step);
    extent_[l.variable] = l.step;
    // An extent of 0 stands for one that is smaller in the last box.
    if (l.step > 1 && (extent == 0 || extent % l.step != 0)) {
      out_.line(fmt::format("const long {0}_end = MIN({0} + {1}, {2});", x, l.step, high));
      high_[l.variable] = x + "_end";
      extent_[l.variable] = 0;
    }
    load_behind(static_cast<int>(i));
    loop(i + 1);
    store_behind(static_cast<int>(i));
    out_.close();
    low_[l.variable] = low;
    high_[l.variable] = high;
    extent_[l.variable] = extent;
  }

  // The level's name where its loops begin.
  std::string level_name(std::size_t i) const {
    const u8 level = part_.loops[i].level;
    if (level >= nest_.levels.size() || (i > 0 && part_.loops[i - 1].level == level)) return "";
    std::string name = nest_.levels[level];
    std::ranges::replace(name, '*', 'x');
    return name;
  }

  // What a machine runs side by side, as far as it can be said: outer iterations that write different outputs.
  void pragma(std::size_t i) {
    const BoxLoop& l = part_.loops[i];
    if (!l.parallel) return;
    const bool apart = writes_apart(l.variable);
    if (c_.options().openmp && apart && !threads_) {
      threads_ = true;
      out_.line("#pragma omp parallel for");
    } else if (c_.options().openmp && apart && i + 1 == part_.loops.size()) {
      out_.line("#pragma omp simd");
    } else {
      out_.line(apart ? "/* side by side */" : "/* side by side; the outputs are added up */");
    }
  }

  // Whether iterations with different values of the variable never write the same element.
  bool writes_apart(u8 variable) const {
    const int dimension = nest_.variables[variable].dimension;
    for (const Rank& rank : nest_.workload.tensors[nest_.accesses.back().tensor].ranks)
      if (rank.terms.size() == 1 && rank.terms.front().dimension == dimension) return true;
    return false;
  }

  void load_behind(int loop) {
    if (!packing_) return;
    for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
      if (packing_->behind(a) != loop) continue;
      packing_->load(out_, a, low_, high_);
      if (loop_low_.size() <= a) loop_low_.resize(nest_.accesses.size());
      loop_low_[a] = low_;
    }
  }
  void store_behind(int loop) {
    if (packing_ && packing_->behind(nest_.accesses.size() - 1) == loop)
      packing_->store(out_, nest_.accesses.size() - 1, low_, high_);
  }

  void statement() {
    std::vector<std::string> operands;
    for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
      const NestAccess& access = nest_.accesses[a];
      operands.push_back(packing_ ? packing_->operand(a, low_, loop_low_[a])
                                  : c_.array(access.array) + c_.element(c_.subscripts(access, low_)));
    }
    add_statement(out_, c_, low_, operands);
  }

  CLines& out_;
  const CNest& c_;
  const LoopNest& nest_;
  const LoopNestPart& part_;
  std::optional<CPacking> packing_;
  std::vector<std::string> low_, high_;             // [variable]: of the present box
  std::vector<u32> extent_;                         // [variable]: of every such box; 0: they differ
  std::vector<std::vector<std::string>> loop_low_;  // [access]: low_ where its tile begins
  bool threads_ = false;
};

}  // namespace

void add_nest(CLines& out, const CNest& c) {
  out.open("static void tiled(void)");
  for (const LoopNestPart& part : c.nest().parts) {
    const bool several = c.nest().parts.size() > 1;
    if (several || c.options().pack) out.open("");
    PartWriter(out, c, part).write();
    if (several || c.options().pack) out.close();
  }
  out.close();
}

CPacking::CPacking(const CNest& c, const LoopNestPart& part) : c_(c) {
  const LoopNest& nest = c.nest();
  std::vector<u64> tile;  // [variable]: most values of it in the innermost tile
  for (const LoopRange& r : part.range) tile.push_back(r.end - r.begin);
  for (const BoxLoop& l : part.loops)
    if (l.level > 0) tile[l.variable] = std::min<u64>(tile[l.variable], l.step);
  for (const NestAccess& access : nest.accesses) {
    int behind = -1;
    for (std::size_t i = 0; i < part.loops.size(); ++i)
      if (part.loops[i].level > 0 && access.stride[part.loops[i].variable] != 0) behind = static_cast<int>(i);
    behind_.push_back(behind);
    std::vector<u64> extents;
    for (const Rank& rank : nest.workload.tensors[access.tensor].ranks) {
      u64 extent = 1;
      for (const Term& term : rank.terms) extent += term.coefficient * (tile[term.dimension] - 1);
      extents.push_back(extent);
    }
    if (extents.empty()) extents.push_back(1);
    extents_.push_back(std::move(extents));
  }
}

namespace {

// "(m_1 + n)" where a sum stands behind a minus or before a product.
std::string closed(const std::string& sum) { return sum.find(' ') == std::string::npos ? sum : "(" + sum + ")"; }

// The value before the end of a box: "30" of "31", "m_1 + 30" of "m_1 + 31".
std::string before(const std::string& end) {
  const std::size_t number = end.find_last_not_of("0123456789") + 1;
  if (number == end.size()) return end + " - 1";
  const unsigned long value = std::stoul(end.substr(number)) - 1;
  const std::string base = end.substr(0, number);
  if (base.empty()) return std::to_string(value);
  return value == 0 ? base.substr(0, base.size() - 3) : base + std::to_string(value);
}

std::string buffer(const CNest& c, std::size_t access) {
  const NestAccess& a = c.nest().accesses[access];
  return fmt::format("{}_tile{}", c.array(a.array), access + 1);
}

}  // namespace

void CPacking::declare(CLines& out) const {
  for (std::size_t a = 0; a < behind_.size(); ++a)
    out.line(fmt::format("static {} {}[{}];", c_.type(), buffer(c_, a), fmt::join(extents_[a], "][")));
}

std::string CPacking::operand(std::size_t access, const std::vector<std::string>& value,
                              const std::vector<std::string>& low) const {
  const NestAccess& a = c_.nest().accesses[access];
  const std::vector<std::string> here = c_.subscripts(a, value), first = c_.subscripts(a, low);
  std::vector<std::string> inside;
  for (std::size_t r = 0; r < here.size(); ++r) {
    if (here[r] == first[r]) inside.emplace_back("0");
    else if (first[r] == "0") inside.push_back(here[r]);
    else inside.push_back(fmt::format("{} - {}", here[r], closed(first[r])));
  }
  return buffer(c_, access) + c_.element(inside);
}

void CPacking::load(CLines& out, std::size_t access, const std::vector<std::string>& low,
                    const std::vector<std::string>& high) const {
  copy(out, access, low, high, false);
}

void CPacking::store(CLines& out, std::size_t access, const std::vector<std::string>& low,
                     const std::vector<std::string>& high) const {
  copy(out, access, low, high, true);
}

// The box is the interval between the elements of the tile's first and last iteration, in every rank.
void CPacking::copy(CLines& out, std::size_t access, const std::vector<std::string>& low,
                    const std::vector<std::string>& high, bool store) const {
  const NestAccess& a = c_.nest().accesses[access];
  const std::vector<std::string> from = c_.subscripts(a, low), to = c_.subscripts(a, mapped(high, before));
  std::vector<std::string> outer, inner;
  std::size_t loops = 0;
  for (std::size_t r = 0; r < from.size(); ++r) {
    if (from[r] == to[r]) {
      outer.push_back(from[r]);
      inner.emplace_back("0");
      continue;
    }
    const std::string x = fmt::format("x{}", r + 1);
    out.open(fmt::format("for (long {0} = {1}; {0} <= {2}; ++{0})", x, from[r], to[r]));
    ++loops;
    outer.push_back(x);
    inner.push_back(from[r] == "0" ? x : fmt::format("{} - {}", x, closed(from[r])));
  }
  const std::string memory = c_.array(a.array) + c_.element(outer), tile = buffer(c_, access) + c_.element(inner);
  out.line(store ? fmt::format("{} = {};", memory, tile) : fmt::format("{} = {};", tile, memory));
  out.line(fmt::format("++{}[{}];", store ? "stored" : "loaded", a.array));
  for (; loops > 0; --loops) out.close();
}

}  // namespace heliolite
