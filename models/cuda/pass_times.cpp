#include "models/cuda/pass_times.hpp"

namespace troupe::cuda {

namespace {

constexpr int kEvery = 8;

std::vector<ProfiledLayer> profiled_layers(const PlacedNetwork& network) {
  std::vector<ProfiledLayer> layers;
  for (const PlacedLayer& layer : network.layers) layers.push_back(profiled(layer.planned, layer.gradient_stops));
  return layers;
}

void add_to(LayerTime& time, Direction direction, double seconds) {
  (direction == Direction::forward ? time.forward_seconds : time.backward_seconds) += seconds;
}

}  // namespace

PassTimes::PassTimes(const PlacedNetwork& network) : layers_(profiled_layers(network)) {
  waiting_.kind = "waiting for copies";
  copying_.kind = "copies (concurrent)";
  copying_.beside = true;
}

std::size_t PassTimes::mark(const Stream& stream) {
  if (used_ == events_.size()) events_.emplace_back();
  events_[used_].record(stream);
  return used_++;
}

void PassTimes::passed(const Stream& compute, std::size_t what, Direction direction) {
  if (!measured_) return;
  const std::size_t begin = last_;
  last_ = mark(compute);
  intervals_.push_back({what, direction, begin, last_});
}

/// Begins a pass. Every eighth training pass is measured, but not the first one, because libraries load their kernels
/// during the first pass.
void PassTimes::begin(const Stream& compute, bool trains) {
  measured_ = trains && passes_++ % kEvery == 1;
  used_ = 0;
  intervals_.clear();
  other(compute);
}

void PassTimes::other(const Stream& compute) {
  if (measured_) last_ = mark(compute);
}

void PassTimes::waits(const Stream& compute, Direction direction) { passed(compute, kWaiting, direction); }

void PassTimes::layer(const Stream& compute, std::size_t layer, Direction direction) {
  passed(compute, layer, direction);
}

void PassTimes::copy_begins(const Stream& copies) {
  if (measured_) copy_ = mark(copies);
}

void PassTimes::copied(const Stream& copies, Direction direction) {
  if (!measured_) return;
  const std::size_t end = mark(copies);
  intervals_.push_back({kCopying, direction, copy_, end});
}

void PassTimes::last_copied(const Stream& copies) { passed(copies, kWaiting, Direction::backward); }

void PassTimes::end(std::int64_t batch) {
  if (measured_) ++measured_passes_;
  for (const Interval& interval : intervals_) add(interval, batch);
  intervals_.clear();
}

void PassTimes::add(const Interval& interval, std::int64_t batch) {
  const double seconds = events_[interval.end].seconds_since(events_[interval.begin]);
  if (interval.what == kWaiting)
    add_to(waiting_, interval.direction, seconds);
  else if (interval.what == kCopying)
    add_to(copying_, interval.direction, seconds);
  else if (interval.direction == Direction::forward)
    layers_.add_forward(interval.what, batch, seconds);
  else
    layers_.add_backward(interval.what, batch, seconds);
}

std::vector<LayerTime> PassTimes::times() const {
  std::vector<LayerTime> times = layers_.times();
  times.push_back(waiting_);
  times.push_back(copying_);
  const double passes = measured_passes_ > 0 ? static_cast<double>(passes_) / static_cast<double>(measured_passes_) : 0;
  for (LayerTime& time : times)
    for (auto* const sum : {&time.forward_seconds, &time.backward_seconds, &time.forward_flops, &time.backward_flops})
      *sum *= passes;
  return times;
}

}  // namespace troupe::cuda
