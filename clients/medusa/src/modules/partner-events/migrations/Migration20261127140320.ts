import { Migration } from '@medusajs/framework/mikro-orm/migrations';

export class Migration20261127140320 extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `alter table if exists "partner_events_purchase" drop constraint if exists "partner_events_purchase_order_id_mode_unique";`,
    );
    this.addSql(
      `create table if not exists "partner_events_purchase" ("id" text not null, "order_id" text not null, "mode" text check ("mode" in ('TEST', 'LIVE')) not null, "email" text not null, "currency" text not null, "subtotal_cents" integer not null, "occurred_at" text not null, "reward_id" text null, "points" integer null, "status" text null, "sequence" integer not null default 0, "problem" text null, "created_at" timestamptz not null default now(), "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null, constraint "partner_events_purchase_pkey" primary key ("id"));`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_partner_events_purchase_deleted_at" ON "partner_events_purchase" ("deleted_at") WHERE deleted_at IS NULL;`,
    );
    this.addSql(
      `CREATE UNIQUE INDEX IF NOT EXISTS "IDX_partner_events_purchase_order_id_mode_unique" ON "partner_events_purchase" ("order_id", "mode") WHERE deleted_at IS NULL;`,
    );

    this.addSql(
      `create table if not exists "partner_events_redemption" ("id" text not null, "cart_id" text not null, "mode" text check ("mode" in ('TEST', 'LIVE')) not null, "points" integer not null, "amount_cents" integer not null, "status" text check ("status" in ('HELD', 'CAPTURED', 'ENDING', 'ENDED')) not null, "created_at" timestamptz not null default now(), "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null, constraint "partner_events_redemption_pkey" primary key ("id"));`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_partner_events_redemption_status" ON "partner_events_redemption" ("status") WHERE deleted_at IS NULL;`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_partner_events_redemption_deleted_at" ON "partner_events_redemption" ("deleted_at") WHERE deleted_at IS NULL;`,
    );

    this.addSql(
      `create table if not exists "partner_events_setting" ("id" text not null, "is_enabled" boolean not null, "mode" text check ("mode" in ('TEST', 'LIVE')) not null, "api_url" text not null, "api_key" text not null, "sealed_secret" text not null, "sealed_webhook_secret" text null, "report_when" text check ("report_when" in ('CAPTURED', 'PLACED')) not null default 'CAPTURED', "reports_since" timestamptz not null, "created_at" timestamptz not null default now(), "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null, constraint "partner_events_setting_pkey" primary key ("id"));`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_partner_events_setting_deleted_at" ON "partner_events_setting" ("deleted_at") WHERE deleted_at IS NULL;`,
    );
  }

  override async down(): Promise<void> {
    this.addSql(`drop table if exists "partner_events_purchase" cascade;`);

    this.addSql(`drop table if exists "partner_events_redemption" cascade;`);

    this.addSql(`drop table if exists "partner_events_setting" cascade;`);
  }
}
