#pragma once
// An execution of a mapping, tile by tile, on a machine whose levels are double-buffered: what a count of cycles is
// held against. Every transfer of a tile and every run of the compute units is a job; it begins when those that it
// needs have ended and the ports that it takes are free. Even perfect mappings that keep every tensor at every level;
// no tensor slides.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/model/nest.h"

namespace heliolite::testing {

class TilePipeline {
 public:
  TilePipeline(const Compiled& c, const Mapping& mapping) : c_(c), nest_(c, mapping), levels_(c.level_count) {
    for (int i = 0; i < levels_; ++i) {
      inner_.push_back(1);
      for (const int j : bits(nest_.temporal & nest_.through[i] & ~(i > 0 ? nest_.through[i - 1] : LoopMask{0})))
        inner_.back() *= nest_.loop[j].end;
    }
    steps_.assign(levels_, 1);
    for (int i = levels_ - 2; i >= 0; --i) steps_[i] = steps_[i + 1] * inner_[i + 1];
  }

  // Cycles until the last job has ended.
  u64 run() {
    make_jobs();
    u64 last = 0;
    for (std::size_t left = jobs_.size(); left > 0; --left) {
      Job* next = nullptr;
      u64 when = 0;
      for (Job& job : jobs_) {
        if (job.done || !ready(job)) continue;
        const u64 start = begin_of(job);
        if (next == nullptr || start < when) next = &job, when = start;
      }
      finish(*next, when);
      last = std::max(last, next->end);
    }
    return last;
  }

 private:
  struct Job {
    std::vector<std::size_t> needs;
    int port = -1;             // takes those of this level and of the level inside it; -1: none
    u64 outer = 0, inner = 0;  // cycles at these
    u64 length = 0, end = 0;
    bool done = false;
  };

  // How often the loops outside level i's tile that move tensor v have stepped: which tile it is.
  u64 tile_of(int i, int v, u64 step) const {
    u64 id = 0, weight = 1;
    const LoopMask moving = nest_.moving(c_.tensor[v]);
    for (const int j : bits(nest_.temporal & ~nest_.through[i])) {
      const u64 end = nest_.loop[j].end;
      if (contains(moving, j)) id += step % end * weight, weight *= end;
      step /= end;
    }
    return id;
  }

  u64 words_of(int i, int v) const {
    Box box;
    nest_.measure(c_.tensor[v], nest_.through[i], box);
    return box.words;
  }
  // Of the level outside, which sends each word that several want once.
  u64 sent_of(int i, int v) const {
    return words_of(i, v) * (nest_.has_spatial(i + 1) ? nest_.moves_in_space(c_.tensor[v], i + 1) : 1);
  }

  u64 cycles(int i, u64 words) const {
    return static_cast<u64>(std::ceil(static_cast<double>(words) / c_.level[i].shared_bandwidth));
  }

  std::size_t add(Job job) {
    jobs_.push_back(std::move(job));
    return jobs_.size() - 1;
  }
  Job transfer(int i, u64 outer, u64 inner) const {
    Job job;
    job.port = i + 1;
    job.outer = cycles(i + 1, outer), job.inner = cycles(i, inner);
    job.length = std::max(job.outer, job.inner);
    return job;
  }

  // From the outside in for loads, from the inside out for what ends.
  void make_jobs() {
    load_.resize(levels_), ended_.resize(levels_), stored_.resize(levels_);
    std::vector<std::map<u64, u64>> last_visit(levels_);  // [level]: of the output's tile
    for (int i = 0; i + 1 < levels_; ++i)
      for (u64 k = 0; k < steps_[i]; ++k)
        load_[i].push_back(add({})), ended_[i].push_back(add({})), stored_[i].push_back(add({}));
    for (int i = 0; i + 1 < levels_; ++i)
      for (u64 k = 0; k < steps_[i]; ++k) {
        u64 outer = 0, inner = 0;
        bool returns = false, leaves = false;
        u64 leaving_outer = 0, leaving_inner = 0;
        Job load, end, store;
        for (int v = 0; v < c_.tensor_count; ++v) {
          const u64 tile = tile_of(i, v, k);
          const bool comes = k == 0 || tile_of(i, v, k - 1) != tile;
          if (c_.tensor[v].is_output) {
            const auto before = last_visit[i].find(tile);
            returns = comes && before != last_visit[i].end();
            if (returns) load.needs.push_back(stored_[i][before->second]);
            last_visit[i][tile] = k;
            leaves = k + 1 == steps_[i] || tile_of(i, v, k + 1) != tile;
            if (leaves) leaving_outer = sent_of(i, v), leaving_inner = words_of(i, v);
            if (!returns) continue;
          }
          if (comes) outer += sent_of(i, v), inner += words_of(i, v);
        }
        const std::vector<std::size_t> own = std::move(load.needs);
        load = transfer(i, outer, inner), load.needs = own;
        store = transfer(i, leaving_outer, leaving_inner);
        // The tile outside must be whole; of double buffers one half must be free.
        if (i + 2 < levels_) load.needs.push_back(load_[i + 1][k / inner_[i + 1]]);
        if (k > 0) load.needs.push_back(load_[i][k - 1]);
        if (k > 1) load.needs.push_back(ended_[i][k - 2]), load.needs.push_back(stored_[i][k - 2]);
        end.needs.push_back(load_[i][k]);
        if (k > 0) end.needs.push_back(ended_[i][k - 1]);
        if (i == 0) end.length = inner_[0] * c_.point_cycles;
        else
          for (u64 j = k * inner_[i]; j < (k + 1) * inner_[i]; ++j)
            end.needs.push_back(ended_[i - 1][j]), end.needs.push_back(stored_[i - 1][j]);
        store.needs.push_back(ended_[i][k]);
        jobs_[load_[i][k]] = load, jobs_[ended_[i][k]] = end, jobs_[stored_[i][k]] = store;
      }
    port_.assign(levels_, 0);
  }

  bool ready(const Job& job) const {
    return std::ranges::all_of(job.needs, [&](std::size_t n) { return jobs_[n].done; });
  }
  u64 begin_of(const Job& job) const {
    u64 when = 0;
    for (const std::size_t n : job.needs) when = std::max(when, jobs_[n].end);
    if (job.port >= 0 && job.length > 0) when = std::max({when, port_[job.port], port_[job.port - 1]});
    return when;
  }
  void finish(Job& job, u64 when) {
    job.end = when + job.length, job.done = true;
    if (job.port < 0 || job.length == 0) return;
    port_[job.port] = when + job.outer, port_[job.port - 1] = when + job.inner;
  }

  const Compiled& c_;
  Nest nest_;
  int levels_;
  std::vector<u64> inner_, steps_;  // [level]: iterations of its own temporal loops, and of those outside it
  std::vector<Job> jobs_;
  std::vector<std::vector<std::size_t>> load_, ended_, stored_;  // [level][step]: jobs
  std::vector<u64> port_;                                        // [level]: until when it is busy
};

}  // namespace heliolite::testing
