#include "engine/execution/c_text.h"

#include <fmt/format.h>

#include "engine/base/integers.h"

namespace heliolite {

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
    for (const Rank& rank : nest.workload.tensors[at(access.tensor)].ranks) {
      u64 extent = 1;
      for (const Term& term : rank.terms) extent += term.coefficient * (tile[at(term.dimension)] - 1);
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
  std::vector<std::string> last;
  for (const std::string& h : high) last.push_back(before(h));
  const std::vector<std::string> from = c_.subscripts(a, low), to = c_.subscripts(a, last);
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
