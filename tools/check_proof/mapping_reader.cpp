#include "check_proof/mapping_reader.h"

namespace check_proof {

MappingReader::MappingReader(const Machine& machine) : m_(machine), steps_(machine) {
  for (int i = 0; i < m_.levels(); ++i) {
    unrolling_.emplace_back();
    for (std::size_t k = 0; k < m_.unrollings(i).size(); ++k) {
      const Unrolling& u = m_.unrollings(i)[k];
      unrolling_.back().emplace(std::pair(u.digits, m_.level(i).has_hops ? u.x : Digits{}), static_cast<int>(k));
    }
  }
}

int MappingReader::servers(const Lines& lines, std::string_view text, int i) const {
  if (i == m_.levels()) {
    if (text != "-") lines.wrong("'-' expected: there are no servers outside the outermost level");
    return 0;
  }
  const std::vector<std::string_view> names = split(text, ',');
  if (names.size() != m_.instance().tensors.size()) lines.wrong("a server of each tensor expected");
  Servers out{};
  for (std::size_t v = 0; v < names.size(); ++v) {
    const int level = m_.instance().level(names[v]);
    if (level < 0) lines.wrong("a level expected, not '" + std::string(names[v]) + "'");
    out[v] = static_cast<i8>(level);
  }
  const int set = m_.set_of(i, out);
  if (set < 0) lines.wrong("servers expected that the levels may be");
  return set;
}

std::vector<Loop> MappingReader::factors(const Lines& lines, std::string_view text) const {
  std::vector<Loop> out;
  if (text == "-") return out;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> pair = split(part, ':');
    const int d = m_.instance().dimension(pair[0]);
    if (pair.size() != 2 || d < 0) lines.wrong("DIMENSION:FACTOR expected, not '" + std::string(part) + "'");
    out.push_back({static_cast<u8>(d), lines.integer(pair[1])});
    if (out.back().factor < 2) lines.wrong("a factor above 1 expected");
  }
  return out;
}

int MappingReader::unrolling(const Lines& lines, std::string_view text, int i) const {
  const auto place = [&](std::string_view part, Digits& both) {
    Digits out{};
    for (const Loop& f : factors(lines, part)) {
      const Divisors& of = m_.tiles().of(f.dimension);
      const int digit = of.digit(f.factor), old = both[f.dimension];
      const int product = digit < 0 ? -1 : of.digit(of.of[old] * f.factor);
      if (product < 0 || out[f.dimension] != 0) lines.wrong("an unrolling that divides the sizes expected");
      out[f.dimension] = static_cast<u8>(digit), both[f.dimension] = static_cast<u8>(product);
    }
    return out;
  };
  Digits both{}, x{};
  const std::vector<std::string_view> axes = split(text, '/');
  if (!m_.level(i).has_hops) {
    if (axes.size() != 1) lines.wrong("factors of both axes together expected: hops have no price");
    place(text, both);
  } else {
    if (axes.size() > 2 || (axes.size() == 1 && text != "-")) lines.wrong("factors along X, '/', along Y expected");
    x = place(axes[0], both);
    place(axes.back(), both);
    if (axes.size() == 1) x = {};
  }
  const auto& known = unrolling_[i];
  const auto found = known.find({both, x});
  if (found == known.end()) lines.wrong("an unrolling that the instance allows expected");
  return found->second;
}

void MappingReader::extend(const Lines& lines, std::size_t k, State& s) const {
  lines.expect(k + 3);
  const int i = s.level + 1;
  Step step;
  step.unrolling = unrolling(lines, lines.word(k), i);
  step.loops = factors(lines, lines.word(k + 1));
  step.set = servers(lines, lines.word(k + 2), i + 1);
  if (i + 1 < m_.levels()) {
    bool follows = false;
    for (const u16 next : m_.next(i, s.set)) follows |= next == step.set;
    if (!follows) lines.wrong("servers expected that may follow those of the level inside");
  }
  if (const std::string problem = steps_.extend(s, step); !problem.empty()) lines.wrong(problem);
}

State MappingReader::mapping(Lines& lines) const {
  if (lines.word(0) != "mapping") lines.wrong("'mapping' expected");
  lines.expect(2);
  State s = steps_.root(servers(lines, lines.word(1), 0));
  for (int i = 0; i < m_.levels(); ++i) {
    lines.next();
    if (lines.word(0) != "m") lines.wrong("'m' expected: what level " + m_.level(i).name + " adds");
    extend(lines, 1, s);
  }
  return s;
}

std::string MappingReader::factors_text(const Digits& digits) const {
  std::string out;
  for (int d = 0; d < m_.dimensions(); ++d)
    if (const u64 n = m_.tiles().extent(digits, d); n > 1)
      out += (out.empty() ? "" : ",") + m_.instance().dimensions[d] + ":" + std::to_string(n);
  return out.empty() ? "-" : out;
}

std::string MappingReader::text_of(int i, const Step& step) const {
  const Unrolling& u = m_.unrollings(i)[step.unrolling];
  std::string out = factors_text(u.digits), loops, servers;
  if (m_.level(i).has_hops && u.receivers > 1) out = factors_text(u.x) + "/" + factors_text(u.y);
  for (const Loop& l : step.loops)
    loops += (loops.empty() ? "" : ",") + m_.instance().dimensions[l.dimension] + ":" + std::to_string(l.factor);
  out += " " + (loops.empty() ? "-" : loops);
  return out + " " + (i + 1 == m_.levels() ? "-" : servers_text(i + 1, step.set));
}

std::string MappingReader::servers_text(int i, int set) const {
  std::string out;
  for (int v = 0; v < m_.tensors(); ++v) out += (v == 0 ? "" : ",") + m_.level(m_.sets(i)[set][v]).name;
  return out;
}

}  // namespace check_proof
