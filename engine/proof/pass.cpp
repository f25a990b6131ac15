#include "engine/proof/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "engine/proof/frontier.h"
#include "engine/search/core/parallel.h"

namespace heliolite::proof {
namespace {

LevelStep step_of(const State& s, const ProofTiles& tiles, bool top) {
  LevelStep out;
  out.unrolling = s.unrolling;
  for (u8 k = 0; k < s.loops; ++k) {
    const u8 d = s.order[k];
    out.loops.emplace_back(d, tiles.digit_of(d, tiles.extent(s.tile, d) / tiles.extent(s.inner, d)));
  }
  out.set = top ? -1 : s.set;
  return out;
}

// Runs one pass.
class Pass {
 public:
  Pass(const Question& q, const Bounds& bounds, const Claim& claim, const PassLimits& limits, const LineSink& sink)
      : q_(q), bounds_(bounds), claim_(claim), limits_(limits), sink_(sink), steps_(q) {}

  PassResult run() {
    list_roots();
    for (int stage = 0; stage < q_.levels() && out_.ended.empty() && !out_.better; ++stage) {
      line(fmt::format("stage {}", stage));
      extend(stage);
    }
    if (!out_.ended.empty() || out_.better) return std::move(out_);
    line(fmt::format("end {}", ids_));
    out_.complete = out_.ended.empty();
    return std::move(out_);
  }

 private:
  // A listed state, as far as lines and mappings need it later.
  struct Listed {
    u32 parent = 0;
    LevelStep step;
  };

  void line(const std::string& text) {
    if (out_.ended.empty() && !sink_(text)) out_.ended = "the limit of the file's size is reached";
  }

  void list_roots() {
    const Extender extender(q_, bounds_, claim_);
    for (std::size_t set = 0; set < q_.sets[0].size(); ++set) {
      State root = steps_.root(static_cast<int>(set));
      if (!extender.is_open(root)) continue;
      root.id = ++ids_;
      listed_.push_back({0, {0, {}, static_cast<int>(set)}});
      line(fmt::format("r {} {}", root.id, servers_text(q_, 0, root.set)));
      current_.push_back(root);
    }
    out_.states = ids_;
  }

  void extend(int stage) {
    const bool top = q_.is_top(stage);
    StateFrontier frontier(q_, stage);
    constexpr std::size_t kBlock = 64;  // parents whose extensions are held at a time
    for (std::size_t begin = 0; begin < current_.size(); begin += kBlock) {
      const std::size_t count = std::min(kBlock, current_.size() - begin);
      std::vector<std::vector<State>> open(count);
      std::atomic<u64> questions{0};
      std::atomic<bool> over{false}, too_many{false};
      parallel_for(count, limits_.threads, [&](std::size_t k) {
        if (over || limits_.over()) {
          over = true;
          return;
        }
        Extender extender(q_, bounds_, claim_, limits_.over);
        if (top) {
          extender.extend(current_[begin + k], stage, [&](State& s) {
            if (open[k].empty()) open[k].push_back(s);
          });
        } else {
          StateFrontier own(q_, stage);
          extender.extend(current_[begin + k], stage, [&](State& s) { own.add(s); });
          open[k] = own.take();
        }
        questions += extender.questions();
        if (extender.was_stopped()) over = true;
        if (extender.had_too_many_flows()) too_many = true;
      });
      if (too_many) return stop(fmt::format("more than {} flows of words at a time", kMaxFlows));
      out_.questions += questions;
      for (const std::vector<State>& states : open)
        for (const State& s : states) {
          if (top) return better(s);
          frontier.add(s);
        }
      if (over) return stop("the time is up, or it was stopped");
      if (frontier.bytes() + current_.size() * sizeof(State) + listed_.size() * sizeof(Listed) > limits_.memory_bytes)
        return stop("its states need more memory than --memory allows");
    }
    current_ = frontier.take();
    if (ids_ + current_.size() > limits_.states) return stop(fmt::format("more than {} states", limits_.states));
    for (State& s : current_) {
      s.id = ++ids_;
      listed_.push_back({s.parent, step_of(s, q_.tiles, false)});
      const LevelStep& step = listed_.back().step;
      line(fmt::format("s {} {} {} {} {}", s.id, s.parent, unrolling_text(q_, stage, step.unrolling),
                       loops_text(q_, step.loops), servers_text(q_, stage + 1, step.set)));
    }
    out_.states = ids_;
  }

  void stop(std::string why) {
    if (out_.ended.empty()) out_.ended = std::move(why);
  }

  void better(const State& s) {
    ProofMapping mapping;
    mapping.levels.push_back(step_of(s, q_.tiles, true));
    u32 id = s.parent;
    for (; listed_[id - 1].parent != 0; id = listed_[id - 1].parent) mapping.levels.push_back(listed_[id - 1].step);
    mapping.root = listed_[id - 1].step.set;
    std::ranges::reverse(mapping.levels);
    out_.better = std::move(mapping);
  }

  const Question& q_;
  const Bounds& bounds_;
  const Claim& claim_;
  const PassLimits& limits_;
  const LineSink& sink_;
  const Steps steps_;
  PassResult out_;
  std::vector<State> current_;
  std::vector<Listed> listed_;  // [id - 1]
  u32 ids_ = 0;
};

}  // namespace

PassResult run_pass(const Question& question, const Bounds& bounds, const Claim& claim, const PassLimits& limits,
                    const LineSink& sink) {
  return Pass(question, bounds, claim, limits, sink).run();
}

std::optional<State> walked(const Question& q, const ProofMapping& mapping) {
  const Steps steps(q);
  State s = steps.root(mapping.root);
  for (int i = 0; i < q.levels(); ++i) {
    const LevelStep& step = mapping.levels[i];
    const ProofUnrolling& u = q.unrollings[i][step.unrolling];
    const TensorMask kept = q.sets[i][s.set].kept;
    for (int d = 0; d < q.tiles.dimension_count(); ++d)
      if (q.tiles.of(d).times[s.tile[d]][u.digit[d]] == DivisorDigits::kNone) return std::nullopt;
    steps.unroll(s, i, step.unrolling);
    for (const auto& [d, digit] : step.loops) {
      if (q.tiles.of(d).times[s.tile[d]][digit] == DivisorDigits::kNone) return std::nullopt;
      steps.loop(s, i, d, digit);
    }
    if (!q.fits(i, s.set, s.tile, steps.held_inside(s, i))) return std::nullopt;
    if (q.is_top(i)) steps.finish(s);
    else steps.start(s, i, kept, step.set);
  }
  for (int d = 0; d < q.tiles.dimension_count(); ++d)
    if (q.tiles.left(s.tile, d) != 1) return std::nullopt;
  return s;
}

std::string loops_text(const Question& q, const std::vector<std::pair<u8, u16>>& loops) {
  std::string out;
  for (const auto& [d, digit] : loops) {
    if (!out.empty()) out += ',';
    out += fmt::format("{}:{}", q.instance.dimensions[d], q.tiles.of(d).divisor[digit]);
  }
  return out.empty() ? "-" : out;
}

std::string unrolling_text(const Question& q, int level, std::size_t unrolling) {
  const ProofUnrolling& u = q.unrollings[level][unrolling];
  const auto factors = [&](const Digits& of) {
    std::vector<std::pair<u8, u16>> out;
    for (int d = 0; d < q.tiles.dimension_count(); ++d)
      if (of[d] > 0) out.emplace_back(static_cast<u8>(d), of[d]);
    return loops_text(q, out);
  };
  // Where hops have a price it matters which axis a factor is on.
  if (q.has_hops(level)) return u.receivers == 1 ? "-" : factors(u.x) + "/" + factors(u.y);
  return factors(u.digit);
}

std::string servers_text(const Question& q, int stage, int set) {
  if (set < 0) return "-";
  std::string out;
  for (int v = 0; v < q.tensors(); ++v) {
    if (v > 0) out += ',';
    out += q.instance.levels[q.sets[stage][set].server[v]].name;
  }
  return out;
}

}  // namespace heliolite::proof
