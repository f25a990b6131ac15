#include "check_proof/proof.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>

#include "check_proof/dominance.h"
#include "check_proof/extensions.h"
#include "check_proof/mapping_reader.h"
#include "check_proof/sha256.h"

namespace check_proof {
namespace {

constexpr std::size_t kMostStates = 10'000'000;

struct Listed {
  State state;
  u64 id = 0, line = 0;
};

// One pass over the lines behind the instance: a stage is rebuilt from its lines, then every state of the stage before
// is extended, in parallel.
class ProofChecker {
 public:
  ProofChecker(Lines& lines, Instance instance, int threads)
      : lines_(lines), instance_(std::move(instance)), threads_(threads) {}

  std::string run() {
    head();
    Machine machine(instance_);
    MappingReader reader(machine);
    m_ = &machine, reader_ = &reader;
    if (claim_.kind == ClaimKind::Optimal) mapping();
    const Tables tables(machine, used_rates(), threads_);
    const Bounds bounds(machine, tables, claim_);
    bounds_ = &bounds;
    std::vector<Listed> states = roots();
    for (int i = 0; i < machine.levels(); ++i) {
      if (lines_.word(0) != "stage" || lines_.word(1) != std::to_string(i) || lines_.count() != 2)
        lines_.wrong("'stage " + std::to_string(i) + "' expected, or a state with the number " +
                     std::to_string(count_ + 1));
      std::vector<Listed> next = stage(states, i + 1 == machine.levels());
      extend_all(states, next);
      states = std::move(next);
    }
    if (lines_.word(0) != "end" || lines_.word(1) != std::to_string(count_) || lines_.count() != 2)
      lines_.wrong("'end " + std::to_string(count_) + "' expected");
    if (!lines_.at_end()) {
      lines_.next();
      lines_.wrong("nothing expected behind the end");
    }
    return claim_text(claim_, instance_.unit_bits) + "; " + std::to_string(count_) + " states; instance " +
           digest_.substr(0, 16);
  }

 private:
  void head() {
    lines_.next();
    if (lines_.word(0) != "heliolite-proof" || lines_.word(1) != "1" || lines_.count() != 2)
      lines_.wrong("'heliolite-proof 1' expected");
    digest_ = sha256(lines_.before());
    lines_.next();
    if (lines_.word(0) != "instance" || lines_.word(1) != digest_ || lines_.count() != 2)
      lines_.wrong("'instance " + digest_ + "' expected: the SHA-256 of the lines above");
    lines_.next();
    claim_ = read_claim(lines_);
    for (lines_.next(); lines_.word(0) == "reduce"; lines_.next()) reduce();
  }

  // Dimensions that index every tensor alone have their loops at the outermost level (docs/rules/proof.md).
  void reduce() {
    if (lines_.word(1) != "batch") lines_.refuse("no reduction but 'batch' yet");
    lines_.expect(3);
    const int d = instance_.dimension(lines_.word(2));
    if (d < 0) lines_.wrong("a dimension expected");
    for (const Tensor& t : instance_.tensors)
      if (!contains(t.plain, d)) lines_.wrong("a dimension that indexes every tensor alone expected");
    const Level& top = instance_.levels.back();
    if (top.loops[d].least > 1 || top.loops[d].most < instance_.size[d] || std::ranges::count(top.order, d) != 0)
      lines_.wrong("a dimension with a free loop at the outermost level expected");
    for (Level& l : instance_.levels)
      if (&l != &top && l.loops[d].least <= 1) l.loops[d] = {};
  }

  void mapping() {
    const State s = reader_->mapping(lines_);
    const Cost cost = exact_cost(*m_, s);
    if (!claim_.is_reached_by(cost))
      lines_.wrong("a mapping with the value of the claim expected, this one has " +
                   text_of(value_of(claim_.objective, cost)) +
                   (claim_.objective == Objective::Delay ? " " + text_of(cost.energy) : ""));
    lines_.next();
  }

  // All rates have tables unless a line says which.
  std::vector<bool> used_rates() {
    std::vector<bool> out(m_->channels().size(), lines_.word(0) != "use");
    out[0] = true;
    if (lines_.word(0) != "use") return out;
    for (std::size_t k = 1; k < lines_.count() && lines_.word(1) != "-"; ++k) {
      const std::vector<std::string_view> parts = split(lines_.word(k), ':');
      bool found = false;
      for (std::size_t c = 1; c < out.size() && parts.size() == 2; ++c) {
        const Channel& channel = m_->channels()[c];
        if (m_->level(channel.level).name != parts[0] || std::string_view(&channel.rate.kind, 1) != parts[1]) continue;
        out[c] = found = true;
      }
      if (!found)
        lines_.wrong("LEVEL:r, LEVEL:w or LEVEL:s of a rate expected, not '" + std::string(lines_.word(k)) + "'");
    }
    lines_.next();
    return out;
  }

  void numbered() {
    ++count_;
    if (count_ > kMostStates) lines_.refuse("more than 10 million states");
    if (lines_.integer(1) != count_) lines_.wrong("the number " + std::to_string(count_) + " expected");
  }

  std::vector<Listed> roots() {
    const Steps steps(*m_);
    std::vector<Listed> out;
    std::vector<bool> is_listed(m_->sets(0).size(), false);
    const u64 before = lines_.number();
    for (; lines_.word(0) == "r"; lines_.next()) {
      lines_.expect(3);
      numbered();
      const int set = reader_->servers(lines_, lines_.word(2), 0);
      if (is_listed[set]) lines_.wrong("each choice of servers once expected");
      is_listed[set] = true;
      out.push_back({steps.root(set), count_, lines_.number()});
    }
    for (int set = 0; set < static_cast<int>(is_listed.size()); ++set) {
      if (is_listed[set]) continue;
      const State s = steps.root(set);
      Inside inside;
      bounds_->energy(s, -1, inside);
      if (!bounds_->closed(s, -1, inside, [&](std::size_t c) { return bounds_->tables().below(c, 0, 0, set); })) {
        throw Wrong{before,
                    "a line 'r' expected behind it for " + reader_->servers_text(0, set) + ", which no bound closes",
                    false};
      }
    }
    return out;
  }

  std::vector<Listed> stage(const std::vector<Listed>& parents, bool is_last) {
    std::vector<Listed> out;
    std::size_t parent = 0;
    for (lines_.next(); lines_.word(0) == "s"; lines_.next()) {
      if (is_last) lines_.wrong("no states behind the last level expected");
      numbered();
      const u64 id = lines_.integer(2);
      while (parent < parents.size() && parents[parent].id < id) ++parent;
      if (parent == parents.size() || parents[parent].id != id)
        lines_.wrong("the number of a state of the stage before expected, in ascending order");
      out.push_back({parents[parent].state, count_, lines_.number()});
      reader_->extend(lines_, 3, out.back().state);
    }
    return out;
  }

  // The first parent, by lines, with an extension that is neither closed nor listed is wrong.
  void extend_all(const std::vector<Listed>& parents, const std::vector<Listed>& next) {
    std::unordered_multimap<u64, const State*> by_tile;
    for (const Listed& l : next) by_tile.emplace(key_of(l.state), &l.state);
    std::atomic<std::size_t> turn{0}, first_wrong{parents.size()};
    std::mutex mutex;
    std::string what;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (std::size_t k = 0; (k = turn.fetch_add(1)) < first_wrong.load();) {
          const std::string problem = open_extension(parents[k], by_tile);
          if (problem.empty()) continue;
          const std::lock_guard lock(mutex);
          if (k < first_wrong.load()) first_wrong = k, what = problem;
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        turn = parents.size();
      }
    };
    std::vector<std::thread> workers;
    for (int k = 1; k < threads_; ++k) workers.emplace_back(work);
    work();
    for (std::thread& w : workers) w.join();
    if (failure) std::rethrow_exception(failure);
    if (first_wrong.load() < parents.size()) throw Wrong{parents[first_wrong.load()].line, what, false};
  }
  // Alike for all states that may stand for each other.
  u64 key_of(const State& s) const {
    u64 out = static_cast<u64>(m_->tiles().number(s.at)) << 16 | s.set;
    for (int j = 0; j <= s.level; ++j) out = (out ^ s.instances[j]) * 0x9e3779b97f4a7c15;
    return out;
  }

  // What is wrong; empty where everything is closed or listed.
  std::string open_extension(const Listed& parent, const std::unordered_multimap<u64, const State*>& by_tile) const {
    std::string out;
    const int i = parent.state.level + 1;
    const auto visit = [&](const State& s, const Step& step) {
      if (i + 1 == m_->levels()) {
        const Cost cost = exact_cost(*m_, s);
        if (claim_.closed(cost)) return false;
        out = "a mapping through state " + std::to_string(parent.id) + " costs " +
              value_text(claim_.objective, cost, instance_.unit_bits) +
              ", below the claim: " + reader_->text_of(i, step);
        return true;
      }
      const auto [begin, end] = by_tile.equal_range(key_of(s));
      if (std::any_of(begin, end, [&](const auto& l) { return stands_for(*m_, *l.second, s); })) return false;
      out = "an extension of state " + std::to_string(parent.id) +
            " is neither closed nor listed: " + reader_->text_of(i, step);
      return true;
    };
    Extensions(*m_, *bounds_, parent.state, visit).run();
    return out;
  }

  Lines& lines_;
  Instance instance_;
  const int threads_;
  std::string digest_;
  Claim claim_;
  u64 count_ = 0;
  const Machine* m_ = nullptr;
  const MappingReader* reader_ = nullptr;
  const Bounds* bounds_ = nullptr;
};

std::string price_text(const Machine& m, const State& s) {
  const Cost cost = exact_cost(m, s);
  const int bits = m.instance().unit_bits;
  std::string out =
      value_text(Objective::Energy, cost, bits) + ", " + value_text(Objective::Delay, {0, cost.cycles}, bits);
  out.erase(out.find(" and "));
  out += ", " + value_text(Objective::Edp, cost, bits) + " (energy " + text_of(cost.energy) + " x 2^-" +
         std::to_string(bits) + " pJ)";
  for (int i = 0; i < m.levels(); ++i)
    for (int v = 0; v < m.tensors(); ++v) {
      const Count& c = s.count[i][v];
      if (c.accesses != 0)
        out += "\n" + m.level(i).name + " " + m.tensor(v).name + " accesses " + std::to_string(c.accesses) + " fills " +
               std::to_string(c.fills) + " instances " + std::to_string(s.instances[i]);
    }
  return out;
}

template <class Run>
Answer answer(Run&& run) {
  try {
    return {Verdict::Accepted, 0, run()};
  } catch (const Wrong& w) {
    return {w.refused ? Verdict::Refused : Verdict::Rejected, w.line, w.what};
  } catch (const std::bad_alloc&) {
    return {Verdict::Refused, 0, "there is not enough memory"};
  } catch (const std::exception& e) {
    return {Verdict::Refused, 0, e.what()};
  }
}

}  // namespace

Answer check(std::string_view text, int threads) {
  return answer([&] {
    Lines lines(text);
    Instance instance = read_instance(lines);
    return ProofChecker(lines, std::move(instance), threads).run();
  });
}

Answer price(std::string_view text) {
  return answer([&] {
    Lines lines(text);
    const Instance instance = read_instance(lines);
    const Machine machine(instance);
    const MappingReader reader(machine);
    do lines.next();
    while (lines.word(0) != "mapping");
    return price_text(machine, reader.mapping(lines));
  });
}

bool is_of_instance(std::string_view text, std::string_view instance) {
  return text.starts_with(instance) && text.substr(instance.size()).starts_with("heliolite-proof ");
}

}  // namespace check_proof
