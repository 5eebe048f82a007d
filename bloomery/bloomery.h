#pragma once

// The whole library. Each header reads alone. Where to start: filter/blocked_filter.h, the filter
// to take unless you know better; store/native_file.h, to save and load it; guard/cache_guard.h, to
// put it in front of a cache and a database; filter/filter_place.h, for filters that are elsewhere;
// source/open_source.h, to fill one from a database;
// format/format.h, for filters of other systems.

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/bulk/build_parallel.h"
#include "bloomery/filter/bulk/bulk_builder.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/memory_place.h"
#include "bloomery/filter/presence.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/static_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/format/guava.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redisson.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/open_place.h"
#include "bloomery/source/open_source.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
