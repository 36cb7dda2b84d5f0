#include <algorithm>
#include <array>
#include <bit>

#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/exchange_work.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "collectives/exchange/combination.hpp"
#include "collectives/exchange/reduce.hpp"
#include "models/dense.hpp"
#include "runtime/numbers/finite.hpp"
#include "runtime/processes/memory.hpp"

// Handlers of L-BFGS for workers as owners of slices: they reduce gradients, move the weights along a direction, and
// store pairs. A slice is processed in small parts that fit into the first-level cache.
namespace troupe {
namespace {

constexpr std::size_t kMostRows = 3;

/// Gives access to the slice of a replica in all vectors of the state.
class Slice {
 public:
  Slice(const WorkerState& worker, const Replica& replica)
      : worker_(worker),
        range_(worker.plan.slice_of(worker.lane_of(replica))),
        learned_{range_.begin, std::max(range_.begin, std::min(range_.end, replica.model->info().learned_size))} {}

  const Range& range() const { return range_; }
  /// Returns the range of the learned floats in the slice.
  const Range& learned() const { return learned_; }
  /// Returns a pointer into a vector that has only one buffer: to the float at the position `at` of the flat vector.
  float* single(std::int32_t vector, std::size_t at) const {
    if (!worker_.layout.is_single(vector)) throw Error(ErrorCode::protocol, "an unknown vector of L-BFGS");
    return worker_.slabs->slice_of(vector, 0, range_).data() + (at - range_.begin);
  }
  std::span<float> weights(std::int32_t buffer) const {
    return worker_.slabs->slice_of(kWeightsVector, buffer, range_);
  }

 private:
  const WorkerState& worker_;
  Range range_;
  Range learned_;
};

/// Returns the gradients of all portions that are in this worker's store, by portion.
/// @param slabs by portion: the index of the slab with its gradient
Gradients portions_of(const WorkerState& worker, const std::vector<std::int32_t>& slabs) {
  if (slabs.size() != static_cast<std::size_t>(worker.layout.num_shards))
    throw Error(ErrorCode::protocol, "the number of portions is wrong");
  Gradients gradients(slabs.size());
  for (std::size_t portion = worker.layout.shards.begin; portion < worker.layout.shards.end; ++portion)
    gradients[portion] = worker.slabs->dealt(slabs[portion]);
  return gradients;
}

/// Returns the memory in which the mean gradient of a replica's slice is kept until the request `Remember`: the slab of
/// the replica's first portion, which is overwritten. This is safe, because no other replica reads this slice of the
/// slab.
std::span<float> kept(const WorkerState& worker, const Replica& replica) {
  const std::size_t first = worker.plan.topology.shards_of_lane(worker.lane_of(replica)).begin;
  if (first >= worker.reduced_slabs.size()) throw Error(ErrorCode::protocol, "no gradient has been reduced");
  return worker.slabs->dealt(worker.reduced_slabs[first]);
}

/// Receives the chunks of the mean gradient one after the other. Adds the gradient of the penalty to each chunk,
/// separately for each group of tensors, and keeps the result (see `kept`). Also adds up the scalar products that the
/// driver needs.
class ReducedChunks {
 public:
  ReducedChunks(const WorkerState& worker, Replica& replica, const ReduceGradient& request)
      : worker_(worker),
        replica_(replica),
        slice_(worker, replica),
        direction_(request.direction),
        weights_(worker.slabs->weights(request.buffer)),
        kept_(kept(worker, replica)) {
    replica.products = {worker.layout.size, slice_.range(), 3, slice_.learned().end};
    replica.largest = 0;
  }

  void operator()(std::size_t begin, std::span<const float> mean) {
    const std::span<float> to = kept_.subspan(begin, mean.size());
    std::ranges::copy(mean, to.begin());
    const std::size_t end = std::min(begin + mean.size(), slice_.learned().end);
    if (end <= begin) return;
    for_each_run(worker_.groups, begin, end, [&](std::size_t first, std::size_t last, const GroupRun& run) {
      if (!run.frozen) penalise(worker_.optimizer->weight_decay(run.group), first, last - first);
    });
    const float* const learned = kept_.data() + begin;
    replica_.products.add(0, begin, end - begin, learned, slice_.single(direction_, begin));
    replica_.products.add(1, begin, end - begin, learned, learned);
    replica_.largest = std::max(replica_.largest, largest_magnitude({learned, end - begin}));
  }

 private:
  void penalise(double decay, std::size_t begin, std::size_t count) {
    if (decay == 0) return;
    add_scaled(static_cast<float>(decay), weights_.data() + begin, count, kept_.data() + begin);
    replica_.products.add_square(2, begin, count, decay / 2, weights_.data() + begin);
  }

  const WorkerState& worker_;
  Replica& replica_;
  Slice slice_;
  std::int32_t direction_;
  std::span<const float> weights_;
  std::span<float> kept_;
};

/// Returns the bits of the partial sums of `products` scalar products, in order of product and then of subtree. The
/// slices of the worker's replicas are adjacent. Therefore the sums are combined as if one replica owned the whole
/// slice of the worker.
std::vector<std::uint64_t> sum_bits(const WorkerState& worker, std::size_t products) {
  const Range pieces = pieces_of(worker.layout.size, worker.plan.slice_of_lanes(worker.lanes()));
  std::vector<std::uint64_t> bits;
  for (std::size_t which = 0; which < products; ++which) {
    std::vector<double> sums;
    for (const auto& replica : worker.replicas)
      for (const double sum : replica->products.sums(which)) sums.push_back(sum);
    for (const double sum : piece_subtree_sums(pieces, sums)) bits.push_back(to_bits(sum));
  }
  return bits;
}

double slowest(const WorkerState& worker) {
  double seconds = 0;
  for (const auto& replica : worker.replicas)
    seconds = std::max(seconds, replica->spent.reduce_seconds + replica->spent.apply_seconds);
  return seconds;
}

class ReduceGradientHandler final : public Handler<ReduceGradient> {
 public:
  void prepare(WorkerState& worker, const ReduceGradient& request) const override {
    if (!worker.layout.deals()) throw Error(ErrorCode::protocol, "this run has no L-BFGS");
    worker.reduced_slabs = request.slabs;
  }
  void work(WorkerState& worker, Replica& replica, const ReduceGradient& request) const override {
    const Gradients gradients = portions_of(worker, request.slabs);
    replica.spent = {};
    const Stopwatch watch;
    ReducedChunks chunks(worker, replica, request);
    const ApplyChunk note = [&](std::size_t begin, std::span<const float> mean) { chunks(begin, mean); };
    if (worker.exchange) {
      NodeExchange::Work work = exchange_work(worker, replica, request.round, deadline_of(request));
      work.gradients = &gradients;
      work.samples = request.samples;
      replica.spent = worker.exchange->reduce(work, note);
    } else {
      reduce_and_apply(gradients, request.samples, worker.plan.slice_of(worker.lane_of(replica)), note);
    }
    replica.spent.reduce_seconds = watch.seconds();
    replica.spent.apply_seconds = 0;
  }
  void answer(WorkerState& worker, const ReduceGradient& /*request*/, GradientReduced& reduced) const override {
    reduced.sum_bits = sum_bits(worker, 3);
    std::uint32_t largest = 0;
    for (const auto& replica : worker.replicas) {
      largest = std::max(largest, replica->largest);
      reduced.bytes_sent += replica->spent.bytes_sent;
    }
    reduced.largest_bits = to_bits(static_cast<double>(std::bit_cast<float>(largest)));
    reduced.seconds_bits = to_bits(slowest(worker));
  }
};

/// Reads several vectors of a slice at the same time, part by part. While one part is processed, the next part is
/// prefetched into the cache.
class Streams {
 public:
  /// @param ahead the number of vectors that are processed at the same time
  Streams(const Slice& slice, const std::vector<std::int32_t>& vectors, std::size_t ahead)
      : last_(slice.learned().empty() ? 0 : slice.learned().size() - 1), ahead_(ahead) {
    for (const std::int32_t vector : vectors) begins_.push_back(slice.single(vector, slice.range().begin));
    at_.resize(begins_.size());
    next_.resize(begins_.size());
  }

  /// Moves to the next part of the slice: afterwards, `at` and `next` return pointers for this part.
  /// @param offset the start of the part, in floats from the start of the slice
  /// @param count the length of the part in floats
  void go_to(std::size_t offset, std::size_t count) {
    for (std::size_t i = 0; i < begins_.size(); ++i) at_[i] = begins_[i] + offset;
    for (std::size_t i = 0; i < begins_.size(); ++i)
      next_[i] = i + ahead_ < begins_.size() ? at_[i + ahead_]
                                             : begins_[(i + ahead_) % begins_.size()] + std::min(offset + count, last_);
  }
  std::span<const float* const> at() const { return at_; }
  std::span<const float* const> next() const { return next_; }

 private:
  std::size_t last_;
  std::size_t ahead_;
  std::vector<const float*> begins_;
  std::vector<const float*> at_;
  std::vector<const float*> next_;
};

template <class Use>
void for_each_part(const Range& range, std::size_t floats, const Use& use) {
  for (std::size_t begin = range.begin; begin < range.end; begin += floats)
    use(Range{begin, std::min(begin + floats, range.end)});
}

/// Writes new weights, chunk by chunk: the old weights plus the step length times the direction. If the request
/// contains coefficients, first computes the direction.
class MovedChunks {
 public:
  MovedChunks(const WorkerState& worker, const Replica& replica, const MoveAlong& request)
      : request_(request),
        groups_(worker.groups),
        slice_(worker, replica),
        from_(worker.slabs->weights(request.from)),
        terms_(slice_, slice_.range().empty() ? std::vector<std::int32_t>() : request.vectors, 4) {
    if (request.vectors.size() != request.coefficient_bits.size())
      throw Error(ErrorCode::protocol, "the numbers of vectors and coefficients differ");
    for (const std::uint64_t bits : request.coefficient_bits) coefficients_.push_back(from_bits(bits));
    if (!slice_.range().empty()) to_ = slice_.weights(request.to);
  }

  void operator()(const Range& chunk) {
    const std::size_t end = std::clamp(slice_.learned().end, chunk.begin, chunk.end);
    for_each_part({chunk.begin, end}, kCombined, [&](const Range& part) {
      for_each_run(groups_, part.begin, part.end, [&](std::size_t first, std::size_t last, const GroupRun& run) {
        run.frozen ? keep({first, last}) : move({first, last});
      });
    });
    std::copy(from_.begin() + static_cast<std::ptrdiff_t>(end), from_.begin() + static_cast<std::ptrdiff_t>(chunk.end),
              to_.begin() + static_cast<std::ptrdiff_t>(end - slice_.range().begin));
  }

  bool finite() const { return finite_; }

 private:
  /// Handles a range of frozen tensors: copies their weights unchanged, and sets the direction to zero. This is
  /// necessary because pairs may come from a run that had frozen other tensors, so the computed direction may not be
  /// zero in this range.
  void keep(const Range& part) {
    std::fill_n(slice_.single(request_.direction, part.begin), part.size(), 0.0F);
    std::copy_n(from_.data() + part.begin, part.size(), to_.data() + (part.begin - slice_.range().begin));
  }

  void move(const Range& part) {
    const std::size_t offset = part.begin - slice_.range().begin;
    float* const direction = slice_.single(request_.direction, part.begin);
    float* const to = to_.data() + offset;
    if (!coefficients_.empty()) {
      terms_.go_to(offset, part.size());
      combine(terms_.at(), coefficients_, part.size(), direction, terms_.next());
    }
    move_along(from_.data() + part.begin, direction, from_bits(request_.length_bits), part.size(), to);
    finite_ = finite_ && all_finite({to, part.size()});
  }

  const MoveAlong& request_;
  const GroupRuns& groups_;
  Slice slice_;
  std::span<const float> from_;
  std::span<float> to_;
  std::vector<double> coefficients_;
  Streams terms_;
  bool finite_ = true;
};

class MoveAlongHandler final : public Handler<MoveAlong> {
 public:
  void work(WorkerState& worker, Replica& replica, const MoveAlong& request) const override {
    replica.spent = {};
    const Stopwatch watch;
    MovedChunks move(worker, replica, request);
    if (worker.exchange) {
      NodeExchange::Work work = exchange_work(worker, replica, request.round, deadline_of(request));
      work.buffer = request.to;
      replica.spent = worker.exchange->share(work, worker.slabs->weights(request.from),
                                             [&](std::size_t begin, std::span<const float> floats) {
                                               move({begin, begin + floats.size()});
                                             });
    } else {
      move(worker.plan.slice_of(worker.lane_of(replica)));
    }
    replica.finite = move.finite();
    replica.spent.reduce_seconds = watch.seconds();
    replica.spent.apply_seconds = 0;
  }
  void answer(WorkerState& worker, const MoveAlong& /*request*/, Moved& moved) const override {
    for (const auto& replica : worker.replicas) {
      moved.finite = moved.finite && replica->finite;
      moved.bytes_sent += replica->spent.bytes_sent;
      moved.not_finite_from = std::max(moved.not_finite_from, replica->spent.not_finite_from);
    }
    moved.seconds_bits = to_bits(slowest(worker));
  }
};

/// Adds up the scalar products of the vectors in `Remember::rows` (at most three) with the vectors in
/// `Remember::columns`, page by page.
class NotedProducts {
 public:
  NotedProducts(const Slice& slice, const Remember& request, PieceProducts& products)
      : slice_(slice), request_(request), products_(products), columns_(slice, request.columns, 2) {
    for (std::size_t row = 0; row < request.rows.size(); ++row) rows_[row] = wide_.data() + row * kPageFloats;
  }

  void operator()(const Range& page) {
    for (std::size_t row = 0; row < request_.rows.size(); ++row)
      widen(slice_.single(request_.rows[row], page.begin), page.size(), wide_.data() + row * kPageFloats);
    columns_.go_to(page.begin - slice_.range().begin, page.size());
    products_.add_table(page.begin, page.size(), {rows_.data(), request_.rows.size()}, columns_.at(), columns_.next());
  }

 private:
  const Slice& slice_;
  const Remember& request_;
  PieceProducts& products_;
  Streams columns_;
  std::array<const double*, kMostRows> rows_{};
  std::vector<double> wide_ = std::vector<double>(kMostRows * kPageFloats);
};

class RememberHandler final : public Handler<Remember> {
 public:
  void work(WorkerState& worker, Replica& replica, const Remember& request) const override {
    if (request.rows.size() > kMostRows) throw Error(ErrorCode::protocol, "too many rows of products");
    replica.spent = {};
    const Stopwatch watch;
    const Slice slice(worker, replica);
    replica.products = {worker.layout.size, slice.range(), request.rows.size() * request.columns.size(),
                        slice.learned().end};
    if (slice.range().empty()) return;
    NotedProducts note(slice, request, replica.products);
    const std::span<const float> mean = request.takes ? kept(worker, replica) : std::span<float>();
    for_each_part(slice.learned(), kPageFloats, [&](const Range& chunk) {
      float* const gradient = slice.single(request.gradient, chunk.begin);
      if (request.takes) {
        const float* const taken = mean.data() + chunk.begin;
        if (request.change >= 0)
          quotient_of_change(taken, gradient, from_bits(request.length_bits), chunk.size(),
                             slice.single(request.change, chunk.begin));
        std::copy_n(taken, chunk.size(), gradient);
      }
      note(chunk);
    });
    replica.spent.reduce_seconds = watch.seconds();
  }
  void answer(WorkerState& worker, const Remember& request, Remembered& remembered) const override {
    remembered.sum_bits = sum_bits(worker, request.rows.size() * request.columns.size());
    remembered.seconds_bits = to_bits(slowest(worker));
  }
};

}  // namespace

const Handler<ReduceGradient>& handler_of(const ReduceGradient* /*kind*/) { return the<ReduceGradientHandler>(); }
const Handler<MoveAlong>& handler_of(const MoveAlong* /*kind*/) { return the<MoveAlongHandler>(); }
const Handler<Remember>& handler_of(const Remember* /*kind*/) { return the<RememberHandler>(); }

}  // namespace troupe
