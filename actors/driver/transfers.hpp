#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/rounds.hpp"

namespace troupe {

/// Canonical floats of a vector of the state.
struct VectorPart {
  int vector = 0;
  std::size_t begin = 0;
  std::size_t floats = 0;

  bool operator==(const VectorPart&) const = default;
};

/// Moves vectors between the driver and the state, and texts between workers and the driver, by way of transfer
/// objects. The first worker's model turns the layout of the state into the canonical one and back. What fails leaves
/// nodes unsettled.
class Transfers {
 public:
  Transfers(const Members& members, Rounds& rounds, StateHome& home)
      : members_(members), rounds_(rounds), home_(home) {}

  /// A part of a vector in canonical order.
  HeldFloats fetch(const VectorPart& part, int buffer, const Phase& phase);
  /// The weights, from where a worker is.
  HeldFloats fetch_weights(int worker, int buffer, std::size_t floats, const Phase& phase);
  /// Makes canonical values vectors of the state. What carries one carries the next: it goes with this.
  class Writing {
   public:
    /// @param floats in canonical order
    /// @param size of the flat vector
    Writing(Transfers& transfers, std::size_t floats, std::size_t size);
    ~Writing() { transfers_.home_.forget_transfers(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    void write(const FillFloats& fill, int vector, int buffer, const Phase& phase);

   private:
    Transfers& transfers_;
    std::size_t floats_, size_;
    std::uint64_t from_, flat_;
  };
  /// A generation with such a state has begun.
  void begin(const StateShape& shape) { shape_ = shape; }
  /// Makes a model's first weights the state's.
  void initialize(std::size_t size, int buffer, const Phase& phase);
  void clear(int buffer, const Phase& phase);
  /// Lets these workers read a text for as long as `use` takes, which is told the transfer's number.
  void lend_text(const std::string& text, const std::vector<int>& readers,
                 const std::function<void(std::uint64_t transfer)>& use, const Phase& phase);
  /// What functions returned on a worker, which has said how long each text is.
  std::vector<std::string> fetch_texts(int worker, const std::vector<std::uint64_t>& lengths, const Phase& phase);

 private:
  template <class Work>
  void guard(Work work);
  /// Whose model converts.
  int converter(int vector) const;
  HeldFloats export_from(int worker, const VectorPart& part, int buffer, const Phase& phase);

  const Members& members_;
  Rounds& rounds_;
  StateHome& home_;
  StateShape shape_;
  std::uint64_t last_ = 0;  ///< transfer
};

}  // namespace troupe
