#pragma once
// Reads a proof, of a layer or of a network, and says whether it is one.
#include "check_proof/closing.h"
#include "check_proof/reduce.h"
namespace check_proof {
// Reads servers, and what a level adds to a mapping, from the words of the current line; and says them.
class Reader {
 public:
  Reader(const Steps& steps, Lines& lines) : m_(steps), l_(lines) {
    unrolling_.resize(m_.sets.size()), set_.resize(m_.sets.size() + 1);
    for (int i = 0; i < m_.levels(); ++i) {
      for (const Unrolling& u : m_.unrollings[i]) unrolling_[i].emplace(unrolling_text(i, u), unrolling_[i].size());
      for (std::size_t k = 0; k < m_.sets[i].size(); ++k) set_[i].emplace(servers_text(i, static_cast<int>(k)), k);
    }
    set_.back().emplace("-", 0);
  }
  // LEVEL,LEVEL..: a server of each tensor before level i; - behind the outermost.
  int servers(std::string_view text, int i) const { return number(set_[i], text, "servers"); }
  // UNROLLING LOOPS NEXT-SERVERS of the state's next level, from word k on; the state becomes its extension.
  void extend(std::size_t k, State& s) const {
    l_.expect(l_.word(0), k + 3);
    const int i = s.level + 1, unrolling = number(unrolling_[i], l_.word(k), "an unrolling");
    const Step step{unrolling, loops(l_.word(k + 1)), servers(l_.word(k + 2), i + 1)};
    if (const std::string expected = m_.extend(s, step); !expected.empty()) l_.wrong(expected + " expected");
  }
  // `mapping` and `m` lines; the current line is the first, and the last afterwards.
  State mapping() const {
    l_.expect("mapping", 2);
    State s = m_.root(servers(l_.word(1), 0));
    for (int i = 0; i < m_.levels(); ++i) l_.must("m", 0), extend(1, s);
    return s;
  }
  std::string text_of(int i, const Step& step) const {
    return unrolling_text(i, m_.unrollings[i][step.unrolling]) + " " + loops_text(step.loops) + " " +
           servers_text(i + 1, step.set);
  }
  std::string servers_text(int i, int set) const {
    std::string out;
    for (int v = 0; v < m_.tensors() && i < m_.levels(); ++v)
      out += (v == 0 ? "" : ",") + m_.in.levels[m_.sets[i][set][v]].name;
    return out.empty() ? "-" : out;
  }

 private:
  using Numbers = std::map<std::string, int, std::less<>>;  // by text
  int number(const Numbers& of, std::string_view text, const std::string& what) const {
    const auto found = of.find(text);
    if (found == of.end()) l_.wrong(what + " expected that the instance allows");
    return found->second;
  }
  std::vector<Loop> loops(std::string_view text) const {
    std::vector<Loop> out;
    if (text == "-") return out;
    for (const std::string_view part : split(text, ',')) {
      const std::vector<std::string_view> pair = split(part, ':');
      out.push_back({dimension_of(m_.in, pair[0]), l_.integer(pair.back())});
      if (pair.size() != 2 || out.back().dimension < 0) l_.wrong("loops DIMENSION:FACTOR expected");
    }
    return out;
  }
  std::string loops_text(const std::vector<Loop>& loops) const {
    std::string out;
    for (const Loop& l : loops)
      out += (out.empty() ? "" : ",") + m_.in.dimensions[l.dimension] + ":" + std::to_string(l.factor);
    return out.empty() ? "-" : out;
  }
  // Along X, '/', along Y where hops have a price, otherwise of both together.
  std::string unrolling_text(int i, const Unrolling& u) const {
    const auto text = [&](const Tile& factors) {
      std::vector<Loop> out;
      for (int d = 0; d < m_.dimensions(); ++d)
        if (factors[d] != 0) out.push_back({d, m_.extent(factors, d)});
      return loops_text(out);
    };
    return m_.in.levels[i].has_hops && u.receivers > 1 ? text(u.x) + "/" + text(u.y) : text(u.both);
  }
  const Steps& m_;
  Lines& l_;
  std::vector<Numbers> unrolling_, set_;  // [level]
};

// What is proved of a layer, or of a network of layers.
struct Proved {
  Claim claim;
  int bits = 0;                // energies are multiples of 2^-bits pJ
  std::string of, instances;   // "no legal mapping"; how their digests begin
  std::vector<Cost> mappings;  // what those cost that are named
  u64 states = 0;
};

// One pass over the lines behind the instance: a stage is rebuilt from its lines, then every state of the stage before
// is extended.
class ProofChecker {
 public:
  explicit ProofChecker(Lines& lines) : l_(lines), in_(read_instance(lines)) {}
  // Throws where nothing is proved.
  Proved run() {
    l_.must("heliolite-proof 1", 2);
    const std::string digest = sha256(l_.before());
    l_.must("instance " + digest, 2);  // of the lines above
    l_.next();
    out_ = {Claim::read(l_), in_.unit_bits, "no legal mapping", " " + digest.substr(0, 16), {}, 0};
    for (l_.next(); l_.word(0) == "reduce"; l_.next()) reduce(in_, l_);
    m_.emplace(in_), reader_.emplace(*m_, l_);
    for (; l_.word(0) == "mapping"; l_.next()) {
      const Cost& cost = out_.mappings.emplace_back(exact_cost(*m_, reader_->mapping()));
      if (out_.claim.kind == Claim::kOptimal && place_of(value_of(out_.claim.objective, cost), out_.claim.values()) < 0)
        l_.wrong("a mapping with the claim's value expected, not " + cost_text(cost, out_.bits));
    }
    bounds_.emplace(*m_);
    roots();
    for (int i = 0; i < m_->levels(); ++i) {
      l_.expect("stage " + std::to_string(i), 2);
      stage(m_->is_top(i));
    }
    l_.expect("end " + std::to_string(out_.states), 2);
    return std::move(out_);
  }

 private:
  void add(State s) {
    s.id = ++out_.states, s.line = l_.number();
    states_.push_back(std::move(s));
    if (out_.states > 10'000'000) l_.refuse("more than 10 million states");
    if (l_.integer(l_.word(1)) != out_.states) l_.wrong("the number " + std::to_string(out_.states) + " expected");
  }
  void roots() {
    const u64 before = l_.number();
    for (; l_.word(0) == "r"; l_.next()) {
      l_.expect("r", 3);
      add(m_->root(reader_->servers(l_.word(2), 0)));
    }
    for (int set = 0; set < static_cast<int>(m_->sets[0].size()); ++set)
      if (place_of(set, states_, &State::set) < 0 &&
          !Extensions(*m_, *bounds_, out_.claim, {}).is_closed(m_->root(set), -1))
        throw Wrong{before, "a line 'r' expected behind it for " + reader_->servers_text(0, set), false};
  }
  // Reads the states of a stage, and extends those of the stage before.
  void stage(bool is_last) {
    const std::vector<State> parents = std::exchange(states_, {});
    const u64 first = out_.states + 1 - parents.size();  // their numbers follow each other
    for (l_.next(); l_.word(0) == "s"; l_.next()) {
      if (is_last) l_.wrong("no states behind the last level expected");
      const u64 parent = l_.integer(l_.word(2)) - first;
      if (parent >= parents.size()) l_.wrong("the number of a state of the stage before expected");
      add(parents[parent]);
      reader_->extend(3, states_.back());
    }
    const Listed listed(*m_, states_);
    for (const State& s : parents)
      Extensions(*m_, *bounds_, out_.claim, [&](const State& extension, const Step& step) {
        const std::string state = "state " + std::to_string(s.id), text = reader_->text_of(extension.level, step);
        if (is_last) throw Wrong{s.line, "a mapping through " + state + " costs less than the claim: " + text, false};
        if (!listed.stand_for(extension))
          throw Wrong{s.line, "an extension of " + state + " is neither closed nor listed: " + text, false};
      }).extend(s);
  }
  Lines& l_;
  Instance in_;
  Proved out_;
  std::vector<State> states_;  // of the last stage
  std::optional<Steps> m_;
  std::optional<Reader> reader_;
  std::optional<Bounds> bounds_;
};

// A layer's proof. Where several kinds of compute units can run it there is one of the same claim for each of them, and
// mappings on any of them may have its values.
inline Proved proved_layer(Lines& l) {
  u64 units = 1;
  if (l.take("heliolite-layer 1", 2)) l.must("units", 2), units = l.positive(l.word(1));
  Proved out = ProofChecker(l).run();
  if (units > 1) out.of += " on any of " + std::to_string(units) + " units";
  for (u64 k = 1; k < units; ++k) {
    const Proved unit = ProofChecker(l).run();
    if (unit.claim != out.claim || unit.bits != out.bits) l.wrong("a proof of the claim of the first unit expected");
    out.mappings.insert(out.mappings.end(), unit.mappings.begin(), unit.mappings.end());
    out.states += unit.states, out.instances += unit.instances;
  }
  if (!out.claim.is_met_by(out.mappings)) l.wrong("mappings with all values of the claim expected");
  return out;
}

// A network's proof: its claim, how often it runs each layer, and a proof of each layer's curve. What choices of one
// mapping for each layer cost is on or above the sum of the curves, which has the steps of all, steepest first. A claim
// that is closed at each corner of the sum is closed on and above it. The layers' first mappings are a choice; where
// each layer has one for each of its corners, each corner of the sum is one, too.
inline Proved proved_network(Lines& l) {
  l.must("unit", 2);
  const u64 bits = l.integer(l.word(1));
  l.next();
  Proved out{Claim::read(l), static_cast<int>(bits), "no choice of mappings", "", {}, 0};
  if (out.claim.kind == Claim::kNone || bits > 64) l.wrong("a claim of a value expected, in units of 2^-64 pJ or more");
  l.must("layers", 0);
  std::vector<u64> runs;
  for (std::size_t k = 1; k < l.count(); ++k) runs.push_back(l.positive(l.word(k)));
  if (runs.empty() || runs.size() > 255) l.wrong("the runs of 1 to 255 layers expected");
  out.of += " of " + std::to_string(runs.size()) + " layers";
  Cost sum, chosen;
  bool is_chosen = true, is_met = true;  // every layer has a mapping; has one for each corner
  std::vector<Cost> steps;
  for (const u64 n : runs) {
    const Proved layer = proved_layer(l);
    const u64 shift = bits - static_cast<u64>(layer.bits);
    if (layer.claim.objective != kCurve || shift > bits)
      l.wrong("a proof of a curve expected, in units no smaller than the network's");
    const auto times = [&](const Cost& c) {
      if (c.energy > (static_cast<i128>(1) << (112 - shift)) / n || c.cycles > (u64{1} << 54) / n)
        l.refuse("no proof of numbers as large as these yet");
      return Cost{(c.energy << shift) * n, c.cycles * n};
    };
    sum = sum + times(layer.claim.corners[0]), times(layer.claim.corners.back());
    for (const Cost& s : layer.claim.steps) steps.push_back(times(s));
    if (!layer.mappings.empty()) chosen = chosen + times(layer.mappings[0]);
    is_chosen &= !layer.mappings.empty(), is_met &= layer.claim.kind == Claim::kOptimal;
    out.states += layer.states, out.instances += layer.instances;
  }
  std::ranges::stable_sort(steps, is_steeper);
  if (is_chosen) out.mappings.push_back(chosen);
  for (std::size_t k = 0;; ++k) {
    if (is_met) out.mappings.push_back(sum);
    if (!out.claim.is_closed(sum)) l.wrong("the layers' proofs leave room for " + cost_text(sum, out.bits));
    if (k == steps.size()) break;
    sum = sum + Cost{-steps[k].energy, steps[k].cycles};
  }
  if (!out.claim.is_met_by(out.mappings)) l.wrong("layers whose mappings have the claim's value expected");
  return out;
}
// What the whole text proves; throws where it is no proof.
inline std::string proved(Lines& lines) {
  const Proved p = lines.take("heliolite-network 1", 2) ? proved_network(lines) : proved_layer(lines);
  if (!lines.at_end()) lines.wrong("nothing expected behind this line");
  return p.claim.text(p.bits, p.of) + "; " + std::to_string(p.states) + " states; instance" +
         (p.instances.size() == 17 ? "" : "s") + p.instances;
}

// The cost of a mapping: an instance, then lines `mapping` and `m`; others of a proof may stand between.
inline std::string priced(Lines& lines) {
  Instance in = read_instance(lines);
  for (lines.next(); lines.word(0) != "mapping"; lines.next())
    if (lines.word(0) == "reduce") reduce(in, lines);
  const Steps m(in);
  const State s = Reader(m, lines).mapping();
  const Cost cost = exact_cost(m, s);
  std::string out =
      cost_text(cost, in.unit_bits) + ", " + scaled_text(value_of(kEdp, cost), in.unit_bits) + kUnits[kEdp];
  for (int i = 0; i < m.levels(); ++i)
    for (int v = 0; v < m.tensors(); ++v)
      if (const u64 asked = s.count[m.slot(kAsked, i, v)]; asked != 0)
        out += "\n" + in.levels[i].name + " " + in.tensors[v].name + " accesses " + std::to_string(asked) + " fills " +
               std::to_string(s.count[m.slot(kArrived, i, v)]) + " instances " + std::to_string(s.instances[i]);
  return out;
}
}  // namespace check_proof
