// An instance as lines of text: one space between words, what is zero or says nothing left out.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/instance.h"

namespace heliolite::proof {
namespace {

std::string rank_text(const Instance& instance, const std::vector<InstanceTerm>& rank) {
  std::string out;
  for (const InstanceTerm& t : rank) {
    if (!out.empty()) out += '+';
    if (t.coefficient != 1) out += fmt::format("{}*", t.coefficient);
    out += instance.dimensions[t.dimension];
  }
  return out;
}

// " key value", nothing for 0.
std::string price_text(const char* key, u64 price) { return price == 0 ? "" : fmt::format(" {} {}", key, price); }

std::string access_prices(const InstancePrices& p) {
  return price_text("read", p.read) + price_text("fill", p.fill) + price_text("update", p.update) +
         price_text("address", p.address);
}

std::string tensors_text(const Instance& instance, TensorMask mask) {
  std::string out;
  for (const int v : bits(mask)) out += " " + instance.tensors[v].name;
  return out;
}

std::string dimensions_text(const Instance& instance, const char* key, const std::vector<int>& of) {
  if (of.empty()) return "";
  std::string out = key;
  for (const int d : of) out += " " + instance.dimensions[d];
  return out + "\n";
}

std::string limits_text(const Instance& instance, const char* key, const std::vector<FactorLimit>& of) {
  std::string out;
  for (std::size_t d = 0; d < of.size(); ++d)
    if (of[d].max > 1) out += fmt::format(" {}:{}-{}", instance.dimensions[d], of[d].min, of[d].max);
  return out.empty() ? "" : key + out + "\n";
}

std::string level_text(const Instance& instance, std::size_t i) {
  const InstanceLevel& l = instance.levels[i];
  const InstancePrices& p = l.of[0];
  u64 instances = 1;
  for (std::size_t j = i + 1; j < instance.levels.size(); ++j)
    instances *= instance.levels[j].fanout_x * instance.levels[j].fanout_y;
  std::string out = fmt::format("level {} room {} block {}", l.name, l.room ? std::to_string(*l.room) : "-", l.block);
  if (!instance.sized) out += access_prices(p);
  out += price_text("leak", l.leak);
  if (l.clusters < instances) out += fmt::format(" clusters {}", l.clusters);
  if (!instance.sized) out += price_text("ingress", p.ingress) + price_text("hop", p.hop);
  for (const InstanceRate& r : l.rates) out += fmt::format(" bw-{} {}/{}", r.kind, r.numerator, r.denominator);
  out += "\n";
  if (instance.sized)
    for (std::size_t v = 0; v < instance.tensors.size(); ++v)
      out += fmt::format("value {} parts {}{}{}{}\n", instance.tensors[v].name, l.of[v].parts, access_prices(l.of[v]),
                         price_text("ingress", l.of[v].ingress), price_text("hop", l.of[v].hop));
  out += "keep" + (l.keep == 0 ? " -" : tensors_text(instance, l.keep)) + "\n";
  if (l.open != 0) out += "open" + tensors_text(instance, l.open) + "\n";
  out += limits_text(instance, "loops", l.loops) + dimensions_text(instance, "order", l.order);
  if (l.has_fanout()) {
    out += fmt::format("fanout {} {}{}\n", l.fanout_x, l.fanout_y, l.one_axis ? " one" : "");
    out += dimensions_text(instance, "x", l.x) + dimensions_text(instance, "y", l.y) +
           limits_text(instance, "unroll", l.unroll);
  }
  return l.uneven ? out + "uneven\n" : out;
}

}  // namespace

std::string text_of(const Instance& instance) {
  std::string out = fmt::format("heliolite-instance 1\nunit {}\nmac {}\n", instance.unit_bits, instance.mac);
  if (instance.point_cycles != 1) out += fmt::format("cycles {}\n", instance.point_cycles);
  for (std::size_t d = 0; d < instance.sizes.size(); ++d)
    out += fmt::format("dim {} {}\n", instance.dimensions[d], instance.sizes[d]);
  for (const InstanceTensor& t : instance.tensors) {
    out += fmt::format("tensor {} {}", t.name, t.is_output ? "output" : "input");
    for (const auto& rank : t.ranks) out += " " + rank_text(instance, rank);
    out += "\n";
  }
  for (std::size_t i = 0; i < instance.levels.size(); ++i) out += level_text(instance, i);
  return out;
}

}  // namespace heliolite::proof
