// SPDX-License-Identifier: Apache-2.0
#include "watch/history_chunks.h"

#include "watch/pack.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpuwright::watch {

namespace {

using model::SeriesBucket;

constexpr double kMeanSteps = 65535;
constexpr std::int64_t kMostSeries = std::int64_t{1} << 20;

/// The words of a chunk, in the two lowest bits.
enum Word : std::uint64_t { kRepeat = 0, kGap = 1, kConstant = 2, kRanged = 3 };

base::Error damaged() {
  return base::make_error(base::ErrorKind::Malformed, "packed values are damaged");
}

/// The value as it will be read again.
double kept(double value) {
  const std::optional<Decimal> decimal = decimal_of(value);
  return decimal ? decimal->value() : value;
}

std::uint16_t mean_step(double min, double mean, double max) {
  const double part = (mean - min) / (max - min);
  if (!std::isfinite(part)) return 0;
  return static_cast<std::uint16_t>(std::llround(std::clamp(part, 0.0, 1.0) * kMeanSteps));
}

double mean_at(double min, double max, std::uint16_t step) {
  return min + (max - min) * (static_cast<double>(step) / kMeanSteps);
}

/// Runs of series with consecutive numbers: gap, length, then one item each.
template <class Item, class Write>
std::string pack_runs(std::span<const Item> items, const Write& write) {
  PackWriter out;
  std::int64_t next = 0;
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    while (end < items.size() && items[end].series == items[end - 1].series + 1) ++end;
    out.varint(static_cast<std::uint64_t>(items[begin].series - next)).varint(end - begin);
    for (std::size_t at = begin; at < end; ++at) write(out, items[at]);
    next = items[end - 1].series + 1;
    begin = end;
  }
  return out.take();
}

template <class Read>
base::Status unpack_runs(std::string_view bytes, const Read& read) {
  PackReader in(bytes);
  std::int64_t next = 0;
  while (in.ok() && !in.at_end()) {
    const std::uint64_t gap = in.varint();
    const std::size_t length = in.count();
    if (!in.ok() || gap > static_cast<std::uint64_t>(kMostSeries - next)) return damaged();
    next += static_cast<std::int64_t>(gap);
    for (std::size_t i = 0; i < length && in.ok(); ++i) read(in, next++);
    if (next > kMostSeries) return damaged();
  }
  if (!in.ok()) return damaged();
  return base::Done{};
}

/// The finest exponent that all values need; nothing where one is kept as a double.
std::optional<std::size_t> common_exponent(std::span<const SeriesBucket> buckets) {
  std::size_t most = 0;
  for (const SeriesBucket& bucket : buckets) {
    for (const double value : {bucket.min, bucket.max}) {
      const std::optional<Decimal> decimal = decimal_of(value);
      if (!decimal) return std::nullopt;
      most = std::max(most, decimal->exponent);
    }
  }
  for (const SeriesBucket& bucket : buckets) {
    for (const double value : {bucket.min, bucket.max}) {
      if (!mantissa_at(*decimal_of(value), most)) return std::nullopt;
    }
  }
  return most;
}

class ChunkWriter {
 public:
  explicit ChunkWriter(std::optional<std::size_t> exponent) : exponent_(exponent) {
    out_.varint(exponent ? *exponent : kPlainDouble);
  }

  void gap(std::uint64_t steps) {
    if (steps == 0) return;
    flush();
    out_.varint((steps - 1) << 2 | kGap);
  }

  void add(const SeriesBucket& bucket) {
    const bool constant = bucket.min == bucket.max;
    if (constant && has_last_ && bucket.min == last_.min && bucket.max == last_.max) {
      ++repeats_;
      return;
    }
    flush();
    exponent_ ? add_decimal(bucket, constant) : add_plain(bucket, constant);
    if (!constant) out_.sixteen(mean_step(bucket.min, bucket.mean, bucket.max));
    last_ = bucket;
    has_last_ = constant;
  }

  std::string finish() {
    flush();
    return out_.take();
  }

 private:
  void add_decimal(const SeriesBucket& bucket, bool constant) {
    const std::int64_t min = *mantissa_at(*decimal_of(bucket.min), *exponent_);
    out_.varint(to_zigzag(min - last_min_) << 2 | (constant ? kConstant : kRanged));
    if (!constant)
      out_.varint(static_cast<std::uint64_t>(*mantissa_at(*decimal_of(bucket.max), *exponent_) - min));
    last_min_ = min;
  }
  void add_plain(const SeriesBucket& bucket, bool constant) {
    out_.varint(constant ? kConstant : kRanged).plain(bucket.min);
    if (!constant) out_.plain(bucket.max);
  }
  void flush() {
    if (repeats_ > 0) out_.varint((repeats_ - 1) << 2 | kRepeat);
    repeats_ = 0;
  }

  std::optional<std::size_t> exponent_;
  PackWriter out_;
  SeriesBucket last_;
  bool has_last_ = false;  ///< the last one was constant, and may be repeated
  std::int64_t last_min_ = 0;
  std::uint64_t repeats_ = 0;
};

class ChunkReader {
 public:
  ChunkReader(std::string_view bytes, std::int64_t time_ms, std::int64_t step_ms)
      : in_(bytes), time_ms_(time_ms), step_ms_(step_ms), exponent_(in_.varint()) {}

  base::Result<std::vector<SeriesBucket>> read() {
    if (exponent_ > kPlainDouble || step_ms_ <= 0) return damaged();
    while (in_.ok() && !in_.at_end()) {
      const std::uint64_t word = in_.varint();
      if (!take(word & 3, word >> 2) || steps_ > kMostSteps) return damaged();
    }
    if (!in_.ok()) return damaged();
    return std::move(buckets_);
  }

 private:
  bool take(std::uint64_t kind, std::uint64_t rest) {
    if (kind == kConstant || kind == kRanged) return value(kind == kRanged, rest);
    if (rest >= kMostSteps) return false;
    if (kind == kGap) {
      steps_ += rest + 1;
      return true;
    }
    if (buckets_.empty() || steps_ + rest > kMostSteps) return false;
    const SeriesBucket last = buckets_.back();
    for (std::uint64_t i = 0; i <= rest; ++i) push(last);
    return true;
  }

  bool value(bool ranged, std::uint64_t rest) {
    SeriesBucket bucket;
    if (exponent_ == kPlainDouble) {
      bucket.min = in_.plain();
      bucket.max = ranged ? in_.plain() : bucket.min;
    } else {
      const std::uint64_t min =
          static_cast<std::uint64_t>(last_min_) + static_cast<std::uint64_t>(from_zigzag(rest));
      last_min_ = static_cast<std::int64_t>(min);
      bucket.min = Decimal{last_min_, exponent_}.value();
      bucket.max = bucket.min;
      if (ranged) bucket.max = Decimal{static_cast<std::int64_t>(min + in_.varint()), exponent_}.value();
    }
    bucket.mean = ranged ? mean_at(bucket.min, bucket.max, in_.sixteen()) : bucket.min;
    push(bucket);
    return in_.ok();
  }

  void push(SeriesBucket bucket) {
    bucket.time_ms = time_ms_ + static_cast<std::int64_t>(steps_) * step_ms_;
    buckets_.push_back(bucket);
    ++steps_;
  }

  PackReader in_;
  std::int64_t time_ms_;
  std::int64_t step_ms_;
  std::uint64_t exponent_;
  std::int64_t last_min_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<SeriesBucket> buckets_;
};

}  // namespace

std::string pack_values(std::span<const NumberedValue> values) {
  return pack_runs(values, [](PackWriter& out, const NumberedValue& one) { out.number(one.value); });
}

base::Status unpack_values(std::string_view bytes, const std::function<void(const NumberedValue&)>& take) {
  return unpack_runs(bytes, [&](PackReader& in, std::int64_t series) {
    const double value = in.number();
    if (in.ok()) take({series, value});
  });
}

std::string pack_ranges(std::span<const NumberedRange> ranges) {
  return pack_runs(ranges, [](PackWriter& out, const NumberedRange& one) {
    const double min = kept(one.range.min);
    const double max = kept(one.range.max);
    out.number(min).number(max);
    if (min != max) out.sixteen(mean_step(min, one.range.mean, max));
  });
}

base::Status unpack_ranges(std::string_view bytes, const std::function<void(const NumberedRange&)>& take) {
  return unpack_runs(bytes, [&](PackReader& in, std::int64_t series) {
    Range range;
    range.min = in.number();
    range.max = in.number();
    range.mean = range.min == range.max ? range.min : mean_at(range.min, range.max, in.sixteen());
    if (in.ok()) take({series, range});
  });
}

std::string pack_chunk(std::span<const SeriesBucket> buckets, std::int64_t time_ms, std::int64_t step_ms) {
  ChunkWriter writer(common_exponent(buckets));
  std::int64_t next = time_ms;
  for (const SeriesBucket& bucket : buckets) {
    writer.gap(static_cast<std::uint64_t>((bucket.time_ms - next) / step_ms));
    writer.add(bucket);
    next = bucket.time_ms + step_ms;
  }
  return writer.finish();
}

base::Result<std::vector<SeriesBucket>> unpack_chunk(std::string_view bytes, std::int64_t time_ms,
                                                     std::int64_t step_ms) {
  return ChunkReader(bytes, time_ms, step_ms).read();
}

}  // namespace gpuwright::watch
