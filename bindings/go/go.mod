module bloomery.dev/guard

go 1.19
